"""The methods: each makes an assignment of a problem that is known to have one."""
