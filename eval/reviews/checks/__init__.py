"""What a chair gets: what a review leaves out, whether it is about its paper, copied text, disagreement, habits."""
