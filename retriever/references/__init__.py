"""What a submission cites: cited works, works that papers cite as well, and cited people."""
