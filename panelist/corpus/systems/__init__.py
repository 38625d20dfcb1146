"""Files of conference and journal systems: EasyChair, CMT, HotCRP, OpenReview, OJS, Editorial Manager, ScholarOne."""
