import os

# gRPC's older way of polling costs a server a fifth less CPU a message: what arrives is read by the thread that waits for it,
# without a hop to a pool of threads. Read when grpc is first imported, so it stands here; a setting from outside wins.
os.environ.setdefault("GRPC_EXPERIMENTS", "-event_engine_listener,-event_engine_client")

# Other programs are begun, never copies of this one: gRPC need not stand still for that, nor say that it does not.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")
