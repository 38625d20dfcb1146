"""`/conferences`: a chair's conferences, their files and what is made of them."""
