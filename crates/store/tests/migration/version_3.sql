-- A store of version 3 as its program left it: sqlite3's dump without contents and long records.

BEGIN TRANSACTION;
CREATE TABLE session(
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    facts TEXT NOT NULL,
    started INTEGER NOT NULL,
    used INTEGER NOT NULL,
    pinned INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0
);
INSERT INTO session VALUES(2,'readers c38171e4d314','{"client":"","roots":[]}',1795371610687,1795371610723,0,0);
INSERT INTO session VALUES(3,'readers b72f6cb6d991','{"client":"","roots":[]}',1795371610687,1795371610723,0,0);
INSERT INTO session VALUES(4,'readers 0cd2874cee42','{"client":"","roots":[]}',1795371610687,1795371610723,0,0);
INSERT INTO session VALUES(5,'readers 329f85ac6e63','{"client":"","roots":[]}',1795371610687,1795371610723,0,0);
INSERT INTO session VALUES(6,'readers at c38171e4d314','{"client":"","roots":[]}',1795371610687,1795371610723,0,0);
INSERT INTO session VALUES(7,'readers','{"client":"","roots":[]}',1795371610687,1795371610723,0,0);
INSERT INTO session VALUES(8,'claude-code s1','{"client":"Claude Code","roots":["/tmp/fx/work"]}',1795371610725,1795371610725,0,22);
INSERT INTO session VALUES(9,'mcp-baedbd47f60a4bb78b6db436994132b9','{"client":"","roots":["/tmp/fx/work"]}',1795371611072,1795371611156,0,10545);
INSERT INTO session VALUES(10,'permissions c38171e4d314','{"client":"","roots":[]}',1795371611101,1795371611101,1,0);
CREATE TABLE record(
    session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
    log INTEGER NOT NULL,
    number INTEGER NOT NULL,
    time INTEGER NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY(session, log, number)
) WITHOUT ROWID;
INSERT INTO record VALUES(8,1,1,1795371610725,'{"forgot":{"bytes":0}}');
CREATE TABLE content(
    handle INTEGER PRIMARY KEY,
    hash BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    stored_bytes INTEGER NOT NULL,
    used INTEGER NOT NULL,
    secrets INTEGER NOT NULL,
    compressed INTEGER NOT NULL,
    checksum BLOB NOT NULL,
    stored BLOB NOT NULL
);
CREATE TABLE reference(
    session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
    handle INTEGER NOT NULL REFERENCES content(handle) ON DELETE CASCADE,
    PRIMARY KEY(session, handle)
) WITHOUT ROWID;
CREATE TABLE calls(
    session INTEGER PRIMARY KEY REFERENCES session(id) ON DELETE CASCADE,
    payload TEXT NOT NULL
);
INSERT INTO calls VALUES(2,'{"reader":"s1/","asked":1795371610687,"cut":1795371610723}');
INSERT INTO calls VALUES(3,'{"reader":"s1/","asked":1795371610687,"cut":1795371610723}');
INSERT INTO calls VALUES(4,'{"reader":"s1/","asked":1795371610687,"cut":1795371610723}');
INSERT INTO calls VALUES(5,'{"reader":"s1/","asked":1795371610687,"cut":1795371610723}');
INSERT INTO calls VALUES(6,'{"reader":"s1/","asked":1795371610687,"cut":1795371610723}');
INSERT INTO calls VALUES(7,'1795371610723');
INSERT INTO calls VALUES(9,'{"detect":null,"records":[{"id":0,"tool":"grep","arguments":{"pattern":"step_30","path":"."},"time":1795371611092,"result":{"content":"74cfe1e45c0a","bytes":96,"data":{"total":2,"files":1,"shown":2,"next_offset":null}},"dependencies":[{"Tree":["/tmp/fx/work",{"secs_since_epoch":1795371611,"nanos_since_epoch":79984890}]},{"Directory":"/tmp/fx/work"}],"key":{"Same":[13,212,236,27,171,223,73,132,208,2,235,144,15,74,245,167]}},{"id":1,"tool":"glob","arguments":{"pattern":"*.rs","path":"."},"time":1795371611100,"result":{"content":"7ef2dcc5cca0","bytes":5,"data":{"total":1,"next_offset":null}},"dependencies":[{"Tree":["/tmp/fx/work",{"secs_since_epoch":1795371611,"nanos_since_epoch":93205699}]},{"Directory":"/tmp/fx/work"}],"key":{"Same":[71,126,194,119,147,214,48,209,5,24,16,165,27,113,57,59]}},{"id":2,"tool":"write_file","arguments":{"path":"b.rs","content":"fn b() {}\n"},"time":1795371611123,"result":{"content":"7a7bfd445b20","bytes":49,"data":null},"dependencies":[{"File":["/tmp/fx/work/b.rs",{"stamp":{"len":10,"mtime_ns":1795371611117491778,"inode":10036661,"ctime_ns":1795371611117491778},"hash":[253,29,72,56,158,187,217,10,176,81,147,236,33,11,38,135,183,201,43,22,216,223,135,139,195,149,153,241,205,31,91,40]}]},{"Directory":"/tmp/fx/work"}],"key":{"Same":[186,24,4,158,162,101,7,139,75,70,254,123,141,143,167,18]}},{"id":3,"tool":"write_file","arguments":{"path":"c.rs","content":"fn c() {}\n"},"time":1795371611144,"result":{"content":"bb6948af08ef","bytes":49,"data":null},"dependencies":[{"File":["/tmp/fx/work/c.rs",{"stamp":{"len":10,"mtime_ns":1795371611133491778,"inode":10036661,"ctime_ns":1795371611141491777},"hash":[13,44,197,113,75,97,201,171,143,122,6,79,117,216,27,234,107,1,11,137,56,126,115,74,91,66,153,168,60,23,248,4]}]},{"Directory":"/tmp/fx/work"}],"key":{"Same":[163,74,22,5,210,252,221,255,228,255,166,208,2,149,95,157]}}],"answered":[],"calls":5,"last_used":1795371611144}');
INSERT INTO calls VALUES(10,'[["read_file",".env"]]');
CREATE TABLE curation(
    key BLOB PRIMARY KEY,
    used INTEGER NOT NULL,
    payload TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE fetch(
    key BLOB PRIMARY KEY,
    url TEXT NOT NULL,
    final_url TEXT NOT NULL,
    status INTEGER NOT NULL,
    content_type TEXT,
    etag TEXT,
    last_modified TEXT,
    expires INTEGER,
    checked INTEGER NOT NULL,
    body INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE write(
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    before INTEGER,
    after INTEGER NOT NULL,
    time INTEGER NOT NULL
);
INSERT INTO write VALUES(1,9,'/tmp/fx/work/b.rs',104984944260006,278302207549115,1795371611122);
INSERT INTO write VALUES(2,9,'/tmp/fx/work/b.rs',278302207549115,14485942258529,1795371611135);
INSERT INTO write VALUES(3,9,'/tmp/fx/work/c.rs',104984944260006,14485942258529,1795371611143);
INSERT INTO write VALUES(4,9,'/tmp/fx/work/c.rs',14485942258529,104984944260006,1795371611155);
CREATE TABLE collection(
    id INTEGER PRIMARY KEY,
    time INTEGER NOT NULL
);
INSERT INTO collection VALUES(1,1795371610590);
CREATE INDEX reference_of_content ON reference(handle);
CREATE INDEX curation_by_use ON curation(used);
CREATE INDEX fetch_by_time ON fetch(checked);
CREATE INDEX fetch_of_body ON fetch(body);
CREATE INDEX write_of_session ON write(session);
CREATE INDEX content_by_use ON content(used, stored_bytes);
COMMIT;
PRAGMA application_id = 1718580851;
PRAGMA user_version = 3;
