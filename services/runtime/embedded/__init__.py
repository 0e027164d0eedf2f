"""NATS, PostgreSQL and the services as child processes of one command: real servers, no installation."""
