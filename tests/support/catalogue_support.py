"""Small invented files in the real shapes of publishers and catalogues."""

import json

JATS = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving DTD v1.1 20151215//EN" "JATS-archivearticle1.dtd">
<article article-type="research-article" xmlns:xlink="http://www.w3.org/1999/xlink">
<front><journal-meta><journal-title-group><journal-title>Engines</journal-title></journal-title-group></journal-meta>
<article-meta>
<article-id pub-id-type="publisher-id">00003</article-id>
<article-id pub-id-type="doi">10.1234/Engines.00003</article-id>
<title-group><article-title>Notes on <italic>engines</italic> that weave</article-title></title-group>
<contrib-group>
<contrib contrib-type="author" corresp="yes"><name><surname>Lovelace</surname><given-names>Ada K</given-names></name>
<contrib-id contrib-id-type="orcid">http://orcid.org/0000-0002-1825-0097</contrib-id>
<xref ref-type="aff" rid="aff1">1</xref><xref ref-type="corresp" rid="cor1">*</xref></contrib>
<contrib contrib-type="author"><name><surname>Babbage</surname><given-names>Charles</given-names></name>
<xref ref-type="aff" rid="aff2">2</xref><xref ref-type="corresp" rid="cor1">*</xref></contrib>
<contrib contrib-type="author"><collab>The Engine Group</collab></contrib>
<aff id="aff1"><label>1</label><institution content-type="dept">Mathematics</institution>,
<institution>University of London</institution>, <country country="GB">United Kingdom</country></aff>
<aff id="aff2"><sup>2</sup> Royal Society, London</aff>
</contrib-group>
<contrib-group content-type="section"><contrib contrib-type="editor"><name><surname>Somerville</surname>
<given-names>Mary</given-names></name><role>Reviewing Editor</role></contrib></contrib-group>
<author-notes>
<corresp id="cor1">For correspondence: <email>a.lovelace@london.example</email>, x9@royal.example</corresp>
<fn fn-type="edited-by"><p>Edited by: Luigi Menabrea, University of Turin, Italy</p></fn>
<fn fn-type="edited-by"><p>Reviewed by: Sophie Germain, Paris, France; Emmy Noether, Erlangen, Germany</p></fn>
</author-notes>
<pub-date pub-type="epub"><year>1843</year></pub-date><pub-date pub-type="collection"><year>1844</year></pub-date>
<abstract><title>Abstract</title><p>Engines weave algebra.</p><p>DOI: 10.1234/x</p></abstract>
<abstract abstract-type="plain-language-summary"><p>For everybody.</p></abstract>
<kwd-group><kwd>engines</kwd><kwd>looms</kwd></kwd-group>
</article-meta></front>
<back><ref-list>
<ref><element-citation><article-title>Looms</article-title><pub-id pub-id-type="doi">10.1/LOOM</pub-id>
</element-citation></ref>
<ref><element-citation><article-title>On the weaving of flowers</article-title></element-citation></ref>
</ref-list></back>
<sub-article article-type="decision-letter"><front-stub><contrib-group><contrib contrib-type="reviewer">
<name><surname>Herschel</surname><given-names>Caroline</given-names></name></contrib></contrib-group></front-stub>
</sub-article>
</article>
"""

PUBMED = """<?xml version="1.0" ?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2024//EN" "pubmed_240101.dtd">
<PubmedArticleSet><PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">17</PMID>
<Article PubModel="Print"><Journal><JournalIssue><PubDate><MedlineDate>1998 Dec-1999 Jan</MedlineDate></PubDate>
</JournalIssue>
<Title>The Journal of looms</Title></Journal><ArticleTitle>Looms of <i>silk</i>.</ArticleTitle>
<Abstract><AbstractText Label="AIM">To weave.</AbstractText><AbstractText>We wove.</AbstractText></Abstract>
<AuthorList><Author><LastName>Jacquard</LastName><ForeName>Joseph Marie</ForeName>
<Identifier Source="ORCID">0000000218250097</Identifier>
<AffiliationInfo><Affiliation>Silk Works, Lyon, France. Electronic address: jm@silk.example.</Affiliation>
</AffiliationInfo></Author>
<Author><CollectiveName>Canuts</CollectiveName></Author></AuthorList>
<PublicationTypeList><PublicationType UI="D016441">Retracted Publication</PublicationType></PublicationTypeList>
</Article>
<MeshHeadingList><MeshHeading><DescriptorName>Silk</DescriptorName></MeshHeading></MeshHeadingList></MedlineCitation>
<PubmedData><ArticleIdList><ArticleId IdType="doi">10.5/silk</ArticleId></ArticleIdList><ReferenceList><Reference>
<ArticleIdList><ArticleId IdType="pubmed">16</ArticleId></ArticleIdList></Reference></ReferenceList></PubmedData>
</PubmedArticle>
</PubmedArticleSet>
"""

EUROPE_PMC = """<responseWrapper><resultList><result><id>18</id><source>MED</source><pmid>18</pmid><doi>10.5/wool</doi>
<title>Looms of wool.</title><authorList><author><fullName>Crompton S</fullName><firstName>Samuel</firstName>
<lastName>Crompton</lastName><authorId type="ORCID">0000-0002-1825-0097</authorId><authorAffiliationDetailsList>
<authorAffiliation><affiliation>Hall i' th' Wood, Bolton</affiliation></authorAffiliation>
</authorAffiliationDetailsList>
</author></authorList><journalInfo><journal><title>Wool</title></journal></journalInfo><pubYear>1779</pubYear>
<abstractText>&lt;h4&gt;Aim&lt;/h4&gt;To spin.</abstractText><citedByCount>3</citedByCount></result></resultList>
</responseWrapper>
"""

CROSSREF = {
    "message": {
        "items": [
            {
                "DOI": "10.5/Cotton",
                "title": ["Looms of <i>cotton</i>"],
                "abstract": "<jats:title>Abstract</jats:title><jats:p>We spin.</jats:p>",
                "issued": {"date-parts": [[1785, 4]]},
                "author": [
                    {
                        "given": "Edmund",
                        "family": "Cartwright",
                        "ORCID": "http://orcid.org/0000-0002-1825-0097",
                        "affiliation": [{"name": "Doncaster", "id": [{"id": "https://ror.org/1", "id-type": "ROR"}]}],
                    },
                    {"name": "Weavers"},
                ],
                "container-title": ["Cotton"],
                "reference": [{"DOI": "10.5/SILK"}, {"article-title": "On the weaving of flowers"}, {"key": "3"}],
                "is-referenced-by-count": 4,
            },
            {"DOI": "10.5/n", "title": ["Retraction"], "update-to": [{"DOI": "10.5/Flax", "type": "retraction"}]},
            {"title": ["no DOI"]},
        ]
    }
}

DBLP = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE dblp SYSTEM "dblp.dtd">
<dblp><www key="homepages/w/WeiWang"><author>Wei Wang</author></www>
<inproceedings mdate="2020-01-01" key="conf/looms/Wang01"><author orcid="0000-0002-1825-0097">Wei Wang 0001</author>
<author>J&uuml;rgen M&ouml;ller</author><title>Weaving <i>p</i>-adic cloth.</title><year>2001</year>
<booktitle>LOOMS</booktitle><ee>https://doi.org/10.5/CLOTH</ee></inproceedings></dblp>
"""

ARXIV = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom"><title>ArXiv Query</title>
<entry><id>http://arxiv.org/abs/hep-th/9901001v2</id><published>1999-01-01T00:00:00Z</published><title>Looms in
 ten dimensions</title><summary>We weave.</summary><author><name>Ada Lovelace</name>
<arxiv:affiliation>London</arxiv:affiliation></author><arxiv:doi>10.5/ten</arxiv:doi>
<category term="hep-th" scheme="http://arxiv.org/schemas/atom"/></entry></feed>
"""

FILES = {
    "jats": ("jats.nxml", JATS),
    "pubmed": ("pubmed.xml", PUBMED),
    "crossref": ("works.json", json.dumps(CROSSREF, indent=1)),
    "dblp": ("dblp.xml", DBLP),
    "arxiv": ("feed.xml", ARXIV),
}
