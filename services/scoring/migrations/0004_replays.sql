-- Few boards are played again; whether any was since tells whether standings may have changed.
CREATE INDEX results_replays ON results (epoch, championship) WHERE attempt > 1;
