"""The platform on this machine: real servers and services as child processes of one command."""
