use super::*;

fn tables(connection: &Connection) -> Vec<String> {
    let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
    let mut statement = connection.prepare(sql).expect("there is a schema");
    let rows = statement.query_map([], |row| row.get(0)).expect("it can be read");
    rows.collect::<Result<_, _>>().expect("it is text")
}

#[test]
fn every_older_version_is_brought_up_to_date_and_keeps_what_it_holds() {
    let mut new = Connection::open_in_memory().expect("memory");
    assert_eq!(migrate(&mut new).expect("a store"), StoreFileKind::Store);
    for version in 1..=MIGRATIONS.len() {
        let mut old = Connection::open_in_memory().expect("memory");
        run_migrations(&mut old, &MIGRATIONS[..version]).expect("an older store");
        let sql = "INSERT INTO session(name, facts, started, used) VALUES ('a', '{}', 1, 2)";
        old.execute(sql, []).expect("a session");
        assert_eq!(migrate(&mut old).expect("it is brought up to date"), StoreFileKind::Store);
        assert_eq!(tables(&old), tables(&new), "from version {version}");
        let name: String =
            old.query_row("SELECT name FROM session", [], |row| row.get(0)).expect("one");
        assert_eq!(name, "a");
    }
}

#[test]
fn a_later_version_is_told_apart_and_left_alone() {
    let mut connection = Connection::open_in_memory().expect("memory");
    let later = ["CREATE TABLE later(id INTEGER)"];
    let steps: Vec<&str> = MIGRATIONS.iter().copied().chain(later).collect();
    run_migrations(&mut connection, &steps).expect("a later store");
    let before = tables(&connection);
    assert_eq!(migrate(&mut connection).expect("it can be read"), StoreFileKind::Newer);
    assert_eq!(tables(&connection), before);
}

#[test]
fn decided_turns_are_taken_over() {
    let mut old = Connection::open_in_memory().expect("memory");
    let version =
        MIGRATIONS.iter().position(|step| *step == TURNS_BY_END).expect("it is one of them");
    run_migrations(&mut old, &MIGRATIONS[..version]).expect("an older store");
    let sql = "INSERT INTO session(id, name, facts, started, used) VALUES (7, 'a', '{}', 1, 2); \
               INSERT INTO turn VALUES (x'01', x'00', 7, 'first'), (x'02', x'01', 7, 'second')";
    old.execute_batch(sql).expect("a session with turns");
    assert_eq!(migrate(&mut old).expect("it is brought up to date"), StoreFileKind::Store);
    let text = |sql: &str| -> String {
        old.query_row(sql, [], |row| row.get(0)).expect("there is one row")
    };
    assert_eq!(
        text("SELECT group_concat(hex(end) || hex(before) || session || decided) FROM planned"),
        "01007first,02017second"
    );
    assert_eq!(text("SELECT CAST(count(*) AS TEXT) FROM turn"), "0");
    // They go with their session, as before.
    old.execute_batch("PRAGMA foreign_keys = ON; DELETE FROM session").expect("it is removed");
    assert_eq!(text("SELECT CAST(count(*) AS TEXT) FROM planned"), "0");
}
