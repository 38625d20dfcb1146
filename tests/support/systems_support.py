"""Invented files in the shapes in which conference and journal systems export them."""
# ruff: noqa: E501

EASYCHAIR = {
    "submission.csv": "#,title,authors,submitted,last updated,form fields,keywords,decision,notified,reviews sent,abstract,deleted?\n"
    '1,"Sorting, fast","Ada Lovelace, Bo Ek and Cy Dee",2024-11-19 12:50,2024-11-19 12:50,,"sort\nfast",no decision,no,no,"We sort.\nQuickly.",no\n'
    "2,Searching,Dan Fox,2024-11-19 12:50,2024-11-19 12:50,,search,no decision,no,no,We search.,no\n"
    "3,Withdrawn,Eve Gil,2024-11-19 12:50,2024-11-19 12:50,,x,no decision,no,no,Nothing.,yes\n",
    "author.csv": "submission #,first name,last name,email,country,affiliation,Web page,person #,corresponding?\n"
    "1,Ada,Lovelace,ada@x.org,France,University of X,,71,yes\n"
    "1,Bo,Ek,bo@y.org,Norway,Institute Y,,72,no\n"
    "1,Cy,Dee,,Norway,Institute Y,,73,no\n"
    "2,Dan,Fox,dan@z.org,Norway,Z,,74,yes\n"
    "3,Eve,Gil,eve@z.org,Norway,Z,,75,yes\n",
    "committee.csv": "#,person #,first name,last name,email,country,affiliation,Web page,role\n"
    "11,71,Ada,Lovelace,ada@x.org,France,University of X,http://x.org/,PC member\n"
    "12,81,Finn,Hay,finn@w.org,Belize,W,http://w.org/,PC member\n"
    "13,82,Gus,Ives,gus@v.org,NO,V,http://v.org/,senior PC member\n"
    "14,83,Hal,Jones,hal@u.org,NO,U,http://u.org/,PC member\n",
    "bidding.csv": "member #,member name,submission #,bid\n"
    "12,Finn Hay,1,yes\n12,Finn Hay,2,maybe\n14,Hal Jones,1,conflict\n14,Hal Jones,2,yes\n11,Ada Lovelace,2,no\n",
    "assignment.csv": "member #,member name,submission #\n12,Finn Hay,1\n14,Hal Jones,2\n",
    "review.csv": "#,submission #,member #,member name,number,version,text,scores,total score,reviewer first name,"
    "reviewer last name,reviewer email,reviewer person #,date,time,attachment?\n"
    '5,1,12,Finn Hay,1,1,"First words about sorting.","Overall evaluation: 1\nReviewer\'s confidence: 4",1,,,,,2024-01-01,10:00,no\n'
    '6,1,12,Finn Hay,1,2,"Better words about sorting, which is fast.","Overall evaluation: -2\nReviewer\'s confidence: 4",-2,,,,,2024-01-02,10:00,no\n'
    '7,2,14,Hal Jones,1,1,"The search is sound and the tests convince.","Overall evaluation: 3\nReviewer\'s confidence: 2",3,,,,,2024-01-02,10:00,no\n',
}
CMT = {
    # As saved from its workbook: a title, an empty row, then the header.
    "Papers.csv": "CONF2025 Papers,,,,,,,,\n,,,,,,,,\n"
    "Paper ID,Created,Paper Title,Abstract,Primary Contact Author Email,Authors,Author Names,Author Emails,Conflicts\n"
    "1,1/1/2025,Sorting,We sort.,ada@x.org,Ada Lovelace (X)*; Bo Ek (Y),"
    '"Lovelace, Ada (X)*; Ek, Bo (Y)",ada@x.org*; bo@y.org,2\n'
    '2,1/1/2025,Searching,We search.,dan@z.org,Dan Fox (Z)*,"Fox, Dan (Z)*",dan@z.org*,0\n',
    "Reviewers.txt": "First Name\tMiddle Initial (optional)\tLast Name\tE-mail\tOrganization\tCountry\n"
    "Finn\t\tHay\tfinn@w.org\tW\tNO\nHal\tQ\tJones\thal@u.org\tU\tNO\n",
    "Bids.txt": "Paper ID\tEmail\tBid\n1\tfinn@w.org\tEager\n2\thal@u.org\tIn a pinch\n2\tfinn@w.org\tNot Willing\n",
    "Conflicts.xml": '<?xml version="1.0"?>\n<conflicts>\n<submission submissionId="1"><user email="hal@u.org"/></submission>\n</conflicts>\n',
    "Assignments.xml": '<?xml version="1.0"?>\n<assignments>\n<submission submissionId="1"><user email="finn@w.org"/></submission>\n'
    '<submission submissionId="2"><user email="hal@u.org"/><user email="finn@w.org"/></submission>\n</assignments>\n',
    "Quotas.txt": "# Email\tQuota\nfinn@w.org\t3\nhal@u.org\t1\n",
    "Reviews.csv": "Paper ID,Paper Title,Reviewer Name,Reviewer Email,Q1 (Overall Rating),Q1 (Overall Rating - Value),"
    '"Q2 (Summary, in brief)",Q3 (Confidence),Q3 (Confidence - Value),Q4 (Confidential comments for the PC Chairs)\n'
    "1,Sorting,Finn Hay,finn@w.org,Accept,4,The paper sorts quickly and shows it.,High,3,Between us: weak.\n"
    "2,Searching,Hal Jones,hal@u.org,Reject,1,The search is slow and not compared.,Low,1,\n",
}
HOTCRP = {
    "data.json": '[{"pid": 1, "title": "Sorting", "abstract": "We sort.", "authors": [{"email": "ada@x.org", "first": "Ada", '
    '"last": "Lovelace", "affiliation": "University of X"}], "pc_conflicts": {"hal@u.org": "collaborator"}}]',
    "submissions.csv": "paper,title,abstract\n1,Sorting,We sort.\n2,Searching,We search.\n",
    "authors.csv": "paper,title,first,last,email,affiliation,iscontact\n"
    "1,Sorting,Ada,Lovelace,ada@x.org,University of X,yes\n1,Sorting,Bo,Ek,,Institute Y,no\n2,Searching,Dan,Fox,dan@z.org,Z,yes\n",
    "pcconflicts.csv": "paper,title,given_name,family_name,email,conflicttype\n1,Sorting,Hal,Jones,hal@u.org,Recent collaborator\n",
    "allprefs.csv": "paper,title,given_name,family_name,email,preference,expertise,topic_score,conflict\n"
    "1,Sorting,Finn,Hay,finn@w.org,10,X,2,\n1,Sorting,Hal,Jones,hal@u.org,,,,conflict\n"
    "2,Searching,Hal,Jones,hal@u.org,-3,,,\n2,Searching,Finn,Hay,finn@w.org,,Y,1,\n",
    "pcassignments.csv": "paper,action,email,round,title\n1,clearreview,#pc,any,Sorting\n1,primary,finn@w.org,,\n"
    "2,clearreview,#pc,any,Searching\n2,secondaryreview,hal@u.org,R1,\n",
    "users.csv": "given_name,family_name,email,affiliation,country,roles\nFinn,Hay,finn@w.org,W,NO,pc\nHal,Jones,hal@u.org,U,NO,pc\n",
    "reviews.csv": "paper,title,review,reviewername,email,Overall merit,Reviewer expertise,Paper summary,Comments for authors,Comments for PC\n"
    "1,Sorting,1A,Finn Hay,finn@w.org,4. Accept,3. Knowledgeable,The paper sorts quickly.,Please compare with others.,Weak.\n"
    "2,Searching,2A,Hal Jones,hal@u.org,2,1,The search is slow.,,\n",
}
OJS = {
    "articles.csv": "\ufeffSubmission ID,Title,Abstract,Given Name (Author 1),Family Name (Author 1),ORCID iD (Author 1),"
    "Country (Author 1),Affiliation (Author 1),Email (Author 1),Given Name (Author 2),Family Name (Author 2),ORCID iD (Author 2),"
    "Country (Author 2),Affiliation (Author 2),Email (Author 2),Section Title\n"
    "1,Sorting,We sort.,Ada,Lovelace,https://orcid.org/0000-0002-1825-0097,FR,University of X,ada@x.org,Bo,Ek,,NO,,,Articles\n",
    "reviews.csv": "Stage,Round,Submission Title,Submission ID,Reviewer,First Name,Last Name,Date Assigned,Declined,Cancelled,"
    "Recommendation,Comments On Submission\n"
    "Review,1,Sorting,1,finn,Finn,Hay,2024-01-01,No,No,Revisions Required,It sorts well but says little.\n"
    "Review,1,Sorting,1,hal,Hal,Jones,2024-01-01,No,No,See Comments,I cannot judge the proofs.\n"
    "Review,1,Searching,2,hal,Hal,Jones,2024-01-01,No,No,Decline Submission,The search is slow.\n",
}
EDITORIAL_MANAGER = {
    "submissions.csv": "Manuscript Number,Article Title,Abstract,All Authors\nJ-1,Sorting,We sort.,Ada Lovelace; Bo Ek\n",
    "reviews.csv": "Manuscript Number,Article Title,Reviewer Name,Reviewer Recommendation Term,Comments to Author\n"
    "J-1,Sorting,Finn Hay,Minor Revision,It sorts well.\nJ-1,Sorting,Hal Jones,Reject,It does not sort.\n",
}
SCHOLARONE = {
    "submissions.csv": "Manuscript ID - Original,Manuscript Title,Abstract,Author Full Names\nM-1,Sorting,We sort.,Ada Lovelace; Bo Ek\n",
    "reviews.csv": "Manuscript ID - Original,Manuscript Title,Reviewer Person ID,Reviewer Recommendation\n"
    "M-1,Sorting,881,Accept\nM-1,Sorting,882,Major Revision\n",
}


def export(directory, files):
    """Write a system's files."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (directory / name).write_text(content, encoding="utf-8")
    return directory


REPORTS = {
    # OJS 3.3: who was assigned, answered, declined, finished; one invitation was taken back.
    "ojs.csv": "\ufeffStage,Round,Submission Title,Submission ID,Reviewer,Given Name,Family Name,ORCID iD,Country,Affiliation,Email Address,"
    "Date Assigned,Date Notified,Date Confirmed,Date Completed,Date Acknowledged,Date Due,Declined,Cancelled,Recommendation,Comments On Submission\n"
    "Review,1,Sorting,12,finn,Finn,Hay,https://orcid.org/0000-0002-1825-0097,NO,W,Finn@w.org,2024-01-01 10:00:00,2024-01-02 10:00:00,"
    "2024-01-04 09:00:00,2024-02-10 09:00:00,,2024-02-05 00:00:00,No,No,Accept Submission,It sorts.\n"
    "Review,2,Sorting,12,finn,Finn,Hay,https://orcid.org/0000-0002-1825-0097,NO,W,Finn@w.org,2024-03-01,2024-03-01,,,,,Yes,No,,\n"
    "Review,1,Sorting,12,hal,Hal,Jones,,NO,U,hal@u.org,2024-01-01,2024-01-02,2024-01-03,,,,Yes,No,,\n"
    "Review,1,Searching,13,hal,Hal,Jones,,NO,U,hal@u.org,2024-02-01,2024-02-02,2024-02-03,,,,No,No,,\n"
    "Review,1,Searching,13,ida,Ida,Kay,,NO,U,ida@u.org,2024-02-01,2024-02-02,,,,,No,No,,\n"
    "Review,1,Searching,13,jon,Jon,Lee,,NO,U,jon@u.org,2024-02-01,2024-02-02,,,,,No,Yes,,\n"
    "Review,1,Searching,13,12,,,,,,,2024-02-01,2024-02-02,,,,,No,No,,\n",
    # Editorial Manager, a report that a journal named: days are month/day/year.
    "em.csv": "Manuscript Number,Article Title,Reviewer Name,Reviewer E-mail Address,Date Reviewer Invited,Date Reviewer Agreed,"
    "Date Reviewer Declined,Date Review Due,Date Review Completed,Days Late,Reviewer Recommendation Term\n"
    'J-1,Sorting,"Hay, Finn",finn@w.org,01/02/2024,01/03/2024,,02/01/2024,01/30/2024,,Minor Revision\n'
    "J-1,Sorting,Hal Jones,hal@u.org,01/02/2024,,01/05/2024,,,,\n",
    # ScholarOne, days as in its reports.
    "scholarone.csv": "Manuscript ID - Original,Manuscript Title,Reviewer Full Name,Reviewer Email Address,Date Reviewer Invited,"
    "Reviewer Response,Date Review Returned,Reviewer Recommendation\n"
    "M-1,Sorting,Finn Hay,finn@w.org,02-Jan-2024,Agreed,,\n"
    "M-1,Sorting,Hal Jones,hal@u.org,02-Jan-2024,Review Complete,30-Jan-2024,Major Revision\n",
    # Panelist's own: ids of people and papers are those of the corpus.
    "own.csv": "person,role,paper,title,abstract,submitted,published\n12,senior editor,7,Sorting,We sort.,2024-01-30,2024-03-01\n",
}
"""Reports of who was asked to review what."""
