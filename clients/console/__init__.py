"""The console: Fupan's pages for the web. It speaks to the services through gRPC and keeps nothing of its own."""
