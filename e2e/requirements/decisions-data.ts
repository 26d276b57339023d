import { clauses, type Requirement } from './clause.ts';

const decision = clauses('decisions ');

/** Decisions 5.1 to 5.7: data, pages, files, proxy. */
export const decisionsData: readonly Requirement[] = [
  ...decision.built('5.1', {
    'sql.url.forms': '`sqlite://<path>`, `file:`, `:memory:`, `libsql://` and `https://` name a database.',
  }),
  ...decision.built('5.1', {
    'sql.url.token': 'A remote database is opened with `DATABASE_AUTH_TOKEN`.',
  }),
  ...decision.built('5.1', {
    'sql.none.boot': 'Without a database a declaration that needs SQL fails the boot.',
    'sql.none.memory':
      'Without a database the service keeps its own state in memory and says so when it starts.',
  }),
  ...decision.built('5.2', {
    'sql.pragmas': 'A database file is in WAL mode with foreign keys enforced.',
    'sql.one-writer': 'A process writes through one queue that groups its writes.',
    'sql.sole-processor':
      'Where a process has one processor, whoever asks the thread that writes leaves it to that one for up to a millisecond.',
    'sql.wait.sum':
      'A write waits for one open transaction of its process at most, and a transaction for one of each other caller, however many are queued.',
    'sql.write.turns':
      'Of the writes that wait, one of each caller goes, then another of each; those of a caller go in their order.',
    'sql.busy.begin-only': 'Only the beginning of a transaction can meet a busy database.',
    'sql.busy.retry': 'A busy database is tried again with jitter for up to 5 s, then answered 503.',
    'sql.acknowledged': 'What was acknowledged is stored.',
    'sql.cached-reads': 'Reads use prepared statements that are kept.',
    'sql.one-library':
      'A process opens its files with one copy of SQLite, that of Node, also beside a remote database.',
    'sql.old-node':
      'A Node older than 22.18 is refused in one line: by the command, by an application that starts, and where a file is opened.',
    'sql.reads.at-once':
      'What a query, or a resource, reads from a database of this machine makes no promise.',
    'sql.writes.signal':
      'A change asks for the signal of its call only where it waits for others, and is withdrawn by it then.',
    'sql.full':
      'A full disk is answered 503; what was acknowledged stays, and writes go on when there is space.',
    'sql.gone':
      'Once its file is gone, or another one is in its place, nothing that is written to a database is acknowledged: it is 503.',
    'sql.troubles':
      'A database says within 5 s what keeps it from being written or reached, also when nobody uses it, and within 5 s that it has ended.',
    'sql.damaged':
      'Damage that a statement meets, or that is found in a large file after the start, is told until the restart.',
    'sql.private': 'The files of a database are for their owner alone.',
    'sql.refused-untouched':
      'A database that is damaged, newer or none at all keeps the service from starting and stays as it was.',
    'sql.tables-once': 'Several processes that open a new database make its tables once.',
    'sql.slow-log': 'Slow statements are logged by their SQL, never with values.',
  }),
  ...decision.built('5.2', {
    'migrate.numbered':
      'Numbered SQL files are applied in order, each once: those of the journal of drizzle-kit, or by the numbers of their names.',
    'migrate.folder':
      '`migrations` beside the application is taken by itself; the option names another folder, or none.',
    'migrate.record': 'What was applied is remembered by name, sha256 and time.',
    'migrate.half-way':
      'Of a migration that fails nothing stays; its file, line and the words of SQLite are told, and no server starts.',
    'migrate.killed':
      'A process that is killed in a migration leaves nothing of it; the next start applies it.',
    'migrate.together':
      'Of several processes that migrate one database one applies each migration and the others wait, 60 s at most.',
    'migrate.foreign-keys':
      'A table that others refer to is made anew without a row of theirs being touched, and no row is left that refers to none.',
    'migrate.changed': 'A file that was changed after it was applied keeps a server from starting.',
    'migrate.order':
      'Files that are missing, renamed, numbered twice or come before what was applied keep a server from starting.',
    'migrate.statements':
      'What no transaction can hold, and what touches the tables of the service, is refused before anything is applied.',
    'migrate.drizzle': "A database of drizzle's own migrator is taken over as it is, and its record goes on.",
    'migrate.drizzle-kit': 'What `drizzle-kit generate` writes is applied as it is.',
    'migrate.before-tables': 'Migrations come before the tables of resources are looked at.',
    'migrate.command':
      '`waymark migrate` applies what is pending, with its time, and ends with 78 where one fails.',
    'migrate.status': '`waymark migrate --status` lists what was applied and what is pending.',
    'migrate.check':
      '`waymark check` tells what is pending, and what is wrong with the files, and changes nothing.',
    'migrate.pending': "With `migrate: 'command'` a server refuses to start before everything was applied.",
    'migrate.remote': 'A libsql server applies a migration whole or not at all, too.',
    'seed.file':
      '`waymark seed` runs seed.ts, seed.js or seed.sql over migrated tables and those of resources.',
    'seed.sql': 'A seed of SQL is stored whole or not at all.',
    'seed.production': 'Where NODE_ENV is production a seed runs with --force alone.',
    'backup.online': '`waymark backup` copies a database that is written to, and holds nobody who writes.',
    'backup.file': 'A backup is one file of mode 0600, looked through, that replaces none without --force.',
    'backup.acknowledged': 'What was acknowledged before a backup began is in it, whatever is killed.',
    'backup.elsewhere': 'Of a database on a server, or in memory, the commands say what else to do.',
    'restore.checked': 'What is no sound copy of this application is not restored, and changes nothing.',
    'restore.told':
      'A restore says how many runs go on from the copy, and how many questions are open in it.',
    'restore.signed-out': 'No session of a browser from before a restore counts after it.',
    'restore.kept':
      'A restore is refused while a server has the database open; what was there is kept beside it, its log included.',
  }),
  ...decision.built('5.2', {
    'sql.busy.serves': 'While another process holds the lock, health answers and frames flow.',
  }),
  ...decision.built('5.3', {
    'query.params.list': '`params` may be a list of names.',
    'query.params.map': '`params` may map names to schemas, which type them and make the input schema.',
    'query.placeholders': 'Placeholders are `?` or `:name`.',
    'query.integers': 'Integers are bound as integers.',
    'query.many': '`many` gives an array.',
    'query.one': '`one` gives a row or 404.',
    'query.affected': '`affected` gives `{affected, last_insert_id}`.',
    'query.constraint': 'A violated constraint is 409.',
    'query.bad-values': 'Other bad values are 422.',
    'query.no-sql-outside': 'No SQL text leaves the service.',
    'query.principal-not-supplied': 'A caller cannot supply `@principal`.',
  }),
  ...decision.built('5.3', {
    'context.params': 'A context can bind `@principal` and what stands at the top of the input of the run.',
  }),
  ...decision.built('5.4', {
    'resource.list': '`GET /<name>` gives a JSON array of rows.',
    'resource.list.limit.default': 'A list has 50 rows by default.',
    'resource.list.limit.max': 'A list has 200 rows at most; a greater `limit` is clamped.',
    'resource.list.limit.schema': 'The schema of `limit` states no maximum.',
    'resource.list.offset': '`offset` skips rows.',
    'resource.list.sort': '`sort=field,-field` orders rows, descending where there is a minus.',
    'resource.list.sort.default': 'Rows come in the order of the primary key by default.',
    'resource.list.filter': 'A list can be filtered by equality with any field.',
    'resource.list.link': 'A list with more to come carries `Link` with `rel="next"`.',
    'resource.get': '`GET /<name>/{id}` gives one row or 404.',
    'resource.create': '`POST /<name>` answers 201 with `Location` and the row.',
    'resource.update': '`PATCH /<name>/{id}` changes the given fields only and answers the row or 404.',
    'resource.delete': '`DELETE /<name>/{id}` answers 204 or 404.',
    'resource.path-parameter': 'The path parameter is called like the primary key.',
    'resource.field-types': 'A field is a schema or one of `integer number string boolean json`.',
    'resource.key.integer': 'An integer primary key is generated.',
    'resource.key.other': 'A primary key of another kind is given by the caller.',
    'resource.key.length': 'A key that a caller gives has at most 256 characters: a path has room for it.',
    'resource.reserved-fields': 'A field called `limit`, `offset` or `sort` fails the boot.',
    'resource.missing-column': 'A table without a declared column fails the boot, and the DDL is shown.',
    'resource.new-row':
      'A column that must have a value and gets none fails the boot, as does one that is computed and would be given.',
    'resource.column-type':
      'A column that cannot keep what its field takes fails the boot; tables of others may have any type.',
    'resource.if-match': 'A change whose `If-Match` does not match is 412.',
    'resource.etag': 'Single rows have an ETag and answer `If-None-Match`.',
  }),
  ...decision.built('5.4', {
    'resource.list.tool-more': 'As a tool, a list with more to come says so in another text item.',
  }),
  ...decision.built('5.4', {
    'resource.drizzle':
      'A drizzle table is a resource: its name, columns, key, null and defaults are in REST, OpenAPI, tools and the typed client.',
    'resource.drizzle.columns':
      'Each kind of column is answered as drizzle-orm reads it, and as its schema says; times are ISO 8601 in UTC.',
    'resource.drizzle.defaults':
      'A column with a default, an `$onUpdate` or an expression may be left out, and is filled in as drizzle-orm fills it in.',
    'resource.drizzle.fields':
      'Schemas say more about columns, and columns that are omitted are in no route.',
    'resource.drizzle.creates':
      'The table is made where there is none, with its constraints and indexes, named as drizzle-kit names them.',
    'resource.drizzle.missing-column':
      'A column, or a table that is referred to, that is missing fails the boot, and the DDL is shown.',
    'resource.drizzle.refused':
      'What cannot be served fails the boot: another database, a view, a key that is none or of several columns, a column without a form in JSON.',
    'resource.drizzle.copies': 'The table, and what is asked, may be of another copy of drizzle-orm.',
  }),
  ...decision.built('5.1', {
    'sql.drizzle.queries':
      'drizzle-orm runs over the database of an application: queries, `returning`, `with`, `db.query`, raw SQL and batches.',
    'sql.drizzle.transaction':
      'A transaction of drizzle-orm is alone among writers, undone when it throws or takes too long, and has savepoints in it.',
    'sql.drizzle.errors':
      'What goes wrong in drizzle-orm is answered and logged as of the database itself, without values.',
  }),
  ...decision.built('5.5', {
    'memory.table': 'The table has owner, key, value and `updated_at_ms`, keyed by owner and key.',
    'memory.owner': 'The owner of an entry is the root principal.',
    'memory.bounded': 'A principal has 10,000 entries at most, or what is declared; a key more is 409.',
    'memory.remember': '`POST /<name>/remember` adds an entry or replaces it.',
    'memory.recall': '`GET /<name>/recall/{key}` is 404 when there is no such entry.',
    'memory.search': '`GET /<name>/search` ranks by full text and falls back on prefixes and trigrams.',
    'memory.search.limit': '`limit` is clamped to `max_results`.',
    'memory.forget': '`DELETE /<name>/forget/{key}` answers `{affected}`.',
  }),
  ...decision.built('5.5', {
    'memory.agent': 'An agent with a memory has its four tools.',
  }),
  ...decision.built('5.6', {
    'page.escaped': 'What a page shows is escaped.',
    'page.precompiled': 'Templates are compiled at boot.',
    'page.partials': 'Partials are in `templates/partials`.',
    'page.context.rows': 'The rows are under the name given as `bind`.',
    'page.context.request': 'A template sees `request` with path, params and query.',
    'page.context.user': 'A template sees `user` with id, authenticated and scopes.',
    'page.triple-braces': '`{{{` is warned about at boot.',
    'files.semantics': 'Files are served with ranges, ETag and HEAD.',
    'files.real-path': 'A file whose real path is outside the real directory is not served.',
    'files.dotfiles': 'Files that begin with a dot are 404.',
    'files.scopes': 'Static files can ask for scopes.',
    'page.no-tools': 'Pages and files are neither tools nor in the client.',
    'page.openapi': 'OpenAPI describes pages as `text/html`.',
    'page.places': 'Data in an address, a style or JSON stays data, and no template puts it into a script.',
    'page.own-members': 'A template reaches nothing that its data inherits.',
    'page.reads-only': 'A page whose SQL changes rows is refused at boot.',
    'page.script-address': 'No data decides whose scripts a page runs.',
    'files.swapped':
      'A link that is swapped while a file is opened leads nowhere, and a file that is replaced is never missing.',
    'files.kept':
      'A service whose static files would hand out its database, through links, too, does not start; nor is it served by another name.',
    'files.program': 'Static files that hand out the program are warned about.',
    'files.streamed': 'A file is streamed in constant memory, and closed when its reader leaves.',
  }),
  ...decision.built('5.7', {
    'proxy.streams': 'Bodies stream both ways.',
    'proxy.rewrite': '`rewrite` is a path template over the parameters of the route.',
    'proxy.rewrite.default': 'Without it the upstream sees the path of the route.',
    'proxy.query': 'The query is forwarded.',
    'proxy.headers.allowed':
      'Of the request headers only accept, content-type, content-language, if-*, range, traceparent and idempotency-key pass.',
    'proxy.headers.own': 'The headers and bearer token of the upstream are added.',
    'proxy.headers.dropped': 'Credentials of the caller, cookies and hop-by-hop headers do not pass.',
    'proxy.path-values': 'A path value is one encoded segment, whatever it holds.',
    'proxy.spelling':
      'A path is spelt as the caller spelt it: what was encoded stays encoded, and what was not stays bare.',
    'proxy.redirects': 'Redirects are passed on and never followed.',
    'proxy.redirects.tool': 'As a tool a redirect is no failure, and its result says where it leads.',
    'proxy.location.own': 'A `Location` on the upstream itself becomes the public path or is dropped.',
    'proxy.location.foreign': 'A `Location` elsewhere passes.',
    'proxy.set-cookie': '`Set-Cookie` is dropped.',
    'proxy.tool': 'As a tool a proxy takes its path parameters and declared `input`.',
    'proxy.502': 'An upstream that refuses or resets is 502.',
    'proxy.504': 'An upstream that sends no headers within `timeout_ms` is 504.',
    'proxy.cut':
      'An answer that breaks off on its way is cut, so that no caller takes the part for the whole.',
    'proxy.caller-gone': 'Whoever leaves ends the request to the upstream, too.',
    'proxy.sockets': 'No failure leaves a connection open.',
    'proxy.repeat': 'A GET or HEAD whose connection ends before its answer begins is made once more.',
    'proxy.ambiguous': 'An answer that two readers could take for different things is 502.',
    'proxy.own-headers':
      'An upstream cannot speak for our origin: its security, CORS and cookie headers are dropped.',
    'proxy.private':
      'An answer of a route with scopes is kept by no shared cache, whatever the upstream says.',
    'proxy.numbers':
      'No number of an answer is changed for a tool: models read its text, programs are refused what would be another integer.',
    'proxy.octets': 'The values of headers that pass are the octets that the upstream sent.',
  }),
  ...decision.built('5.7', {
    'outbound.address-guard': 'That client guards the addresses it connects to.',
    'outbound.one-client': 'Everything the service requests goes through one client with caps and timeouts.',
    'outbound.faults':
      'A request to an issuer, an upstream, a model, a receiver of webhooks or a camera that is refused, breaks off, is not answered or is answered with nonsense hangs nobody, is told in the answer and in the log, and is made up for.',
  }),
];
