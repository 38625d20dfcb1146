"""The measures of Yuan, Liu and Neubig, *Can We Automate Scientific Reviewing?* (2021), as they are defined there."""
