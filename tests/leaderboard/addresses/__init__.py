"""Every address of the site as everyone: what it answers, and what of others' it gives away."""
