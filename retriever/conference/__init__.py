"""A conference: who everybody is, who must not review what, and how submissions are scored and assigned."""
