"""Build jobs: papers to index directories."""
