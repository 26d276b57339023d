import { clauses, type Requirement } from './clause.ts';

const decision = clauses('decisions ');

/** Decisions 10.1 to 10.6: control plane, OpenAPI, client, command line, start, reference application. */
export const decisionsOperation: readonly Requirement[] = [
  ...decision.built('10.1', {
    'gauges.fresh': 'The gauges of health are counted when asked, at most 100 ms old.',
    'gauges.own-changes': 'What this process parked or decided is in them at once.',
    'listing.wrapped.tools': 'The tool listing is `{tools: […]}`.',
    'listing.wrapped.routes': 'The route listing is `{routes: […]}`.',
    'listing.routes.members': 'A row of it has method, path, engine, tool, scopes and approval.',
    'listing.routes.engines': 'Handler, static and control routes name their engine so.',
    'health.members':
      'Health has status, app, version, uptime_ms, and counts from routes to provider_waits, all present.',
    'health.troubles':
      'Health is `degraded` as long as anything is wrong, and tells each trouble with a code and a sentence.',
    'health.troubles.files':
      'What keeps the database from being written is told by health within 5 s, and within 5 s that it is over.',
    'state.faults':
      'Whichever call of a file or of a model fails, nothing hangs, and nothing is lost that was acknowledged.',
    'health.outside':
      'An issuer, an upstream, a provider of models, a receiver of webhooks or a camera that fails is named by health within 5 s, with what it does and since when, and no more within 5 s after it answers.',
    'health.outside.share':
      'One call that fails among many that are answered is no failure of whom the service asks.',
    'health.outside.fault': 'What a caller did wrong, or gave up, is no failure of whom the service asks.',
    'health.outside.forgotten':
      'Whom nobody has asked for a minute after a failure, a receiver for 15, is not named any more.',
    'health.outside.bounded': 'Of each kind eight are named, by 64 characters, and the others counted.',
    'health.outside.public':
      'Health shows the names that are declared and the hosts of issuers, which are public; no other host, and no path or key.',
    'health.ready':
      '`health?ready` is 503 while draining, and while degraded by anything but others whom the service asks; `health?live` is 200 always.',
    'health.troubles.logged': 'A trouble is logged when it begins, and when it is over.',
    'health.event-loop': 'Health tells how long requests wait for the event loop.',
    'health.event-loop.slow': 'An event loop that is held up again and again is a trouble.',
    'log.slow-turn': 'A turn of the event loop over 100 ms is logged with the call that had it.',
  }),
  ...decision.built('10.1', {
    'listing.agents.members': 'Rows of agents use the snake_case names of the option table.',
  }),
  ...decision.built('10.1', {
    'listing.wrapped.others':
      'The other listings are wrapped too: agents behaviours flows contexts devices approvals events runs.',
  }),
  ...decision.built('10.1', {
    'listing.behaviours.members': 'Rows of behaviours use the snake_case names of the option table.',
  }),
  ...decision.built('10.1', {
    'listing.flows.members': 'Rows of flows use the snake_case names of the option table.',
  }),
  ...decision.built('10.1', {
    'listing.contexts.members': 'Rows of contexts use the snake_case names of the option table.',
  }),
  ...decision.built('10.1', {
    'listing.routes.all-engines':
      'Every engine has its word: query resource memory page files proxy agent behaviour flow device.',
  }),
  ...decision.built('10.1', {
    'listing.models.members': 'The models listing shows aliases, providers and prices.',
    'usage.members': 'Usage gives totals, then by caller, by model and by time bucket.',
    'usage.unpriced': 'Usage shows a cost of null where a price is missing.',
  }),
  ...decision.built('10.1', {
    'security.members':
      'The report begins with what is public and gated, then agents, behaviours, flows and memories.',
    'security.limits': 'The report then lists the limits in force.',
    'security.warnings': 'The report ends with warnings and how to settle each.',
  }),
  ...decision.built('10.2', {
    'openapi.security-schemes': 'OpenAPI declares the security schemes in use.',
    'openapi.parameters': 'OpenAPI describes path and query parameters.',
    'openapi.bodies': 'OpenAPI describes request bodies.',
    'openapi.responses': 'OpenAPI describes a response per status, errors as problem+json.',
    'openapi.binary': 'OpenAPI describes binary bodies.',
    'openapi.no-sockets': 'Routes that are WebSocket only are left out of OpenAPI.',
    'openapi.control-plane': 'The control plane is part of the OpenAPI document.',
    'openapi.extensions': 'What OpenAPI has no word for is in `x-waymark` members.',
    'openapi.specification': 'The document says `x-waymark.specification: "2.3"`.',
    'openapi.answers':
      'OpenAPI says of each success what it looks like: a schema, a media type, or no content.',
    'openapi.examples':
      'JSON bodies, declared JSON answers and parameters that must be given have an example, valid under its schema.',
    'openapi.headers': 'OpenAPI describes the headers that a route reads and those that it sends.',
    'openapi.tags': 'Each tag of the document has a description.',
    'openapi.swagger-ui': 'Swagger UI shows the document without an error, and every operation of it.',
    'openapi.scalar': 'Scalar shows the document without an error, and every operation of it.',
    'openapi.valid': 'Two strict validators find nothing wrong with the document.',
    'openapi.schemas-valid': 'Every schema in it is valid JSON Schema 2020-12.',
    'version.health': 'Health shows the version of the application.',
    'version.info': 'The `info` of OpenAPI shows the version of the application.',
    'version.server-info': 'The `serverInfo` of MCP shows the version of the application.',
    'version.no-path': 'No path carries a version.',
  }),
  ...decision.built('10.2', {
    'openapi.sse': 'OpenAPI describes answers that stream events.',
  }),
  ...decision.built('10.2', {
    'version.deprecation':
      'A deprecated wire name works for one more minor version and is announced by `Deprecation` and `deprecated`.',
  }),
  ...decision.built('10.3', {
    'client.progress': 'A method of a route that reports progress tells what happens to `onProgress`.',
    'client.method-per-operation': 'The client has one method per operation.',
    'client.typed': 'A method takes one typed argument and gives a typed result.',
    'client.small':
      'The first file of a client holds what the application declares; of the runtime, it has what it needs.',
    'client.control':
      'The control plane has human names in the client, and a typed result for each operation.',
    'client.problem-error': 'A method throws `ProblemError` for an error response.',
    'client.abort': 'A method can be aborted.',
    'client.ends':
      'A call, a feed and a run that is read end with their time and their signal, also while the answer comes and whatever is collected.',
    'client.memory':
      'Of an answer, and of each event, the client reads no more into memory than `maxResponseBytes`.',
    'client.one-package': 'The client is one ESM package over ky.',
    'client.deterministic': 'Generating the client twice gives the same bytes.',
    'client.fresh': 'The committed client is the one generated from the reference application.',
  }),
  ...decision.built('10.3', {
    'client.timeouts': 'A method waits as long as its route may take.',
    'client.agents':
      'The client has `agents.<name>.run` and `stream`, and the like for behaviours and flows.',
  }),
  ...decision.built('10.3', {
    'client.agents.socket': 'The client has `agents.<name>.socket`.',
  }),
  ...decision.built('10.3', {
    'client.devices': 'The client has `devices.<name>.stream` and `publish`.',
    'client.publish.receipts':
      'A publisher knows what arrived, and keeps no more on its way than about 400 ms of frames and never more than 8.',
  }),
  ...decision.built('10.4', {
    'cli.dev': '`waymark dev` serves an application while it is being written.',
    'cli.start': '`waymark start` serves an application.',
  }),
  ...decision.built('10.4', {
    'cli.new': '`waymark new` makes an application that starts.',
    'getting.create':
      '`npm create waymark` writes an application, asks no program anything, and says in three lines what to do next.',
    'getting.readme':
      'The lines of the README lead from a clone to an application of one’s own and to the first call of a tool of it.',
    'getting.three-commands':
      'From nothing to the first call of a tool it takes three commands, and a minute besides the download.',
    'getting.npx': '`npx @waymark/server new` writes what `npm create waymark` does.',
    'getting.clone': 'In a clone that was not built `npx waymark` runs from the sources.',
    'start.built':
      '`npm start` runs what was built of the packages, builds what has changed before, and says what it cannot build with its file.',
    'start.source': '`npm start -- --source` builds nothing and runs the sources.',
    'start.words':
      '`npm start -- --port 8311 --host 127.0.0.1` are options of the reference application; others are refused.',
    'start.modules':
      'An application of one route loads at most 110 files until it serves, and the reference application at most 200.',
    'start.cpu':
      'An application of one route serves after 250 ms of CPU, and the reference application after 450 ms.',
    'start.late':
      'What templates, files, tokens, requests to the outside, sockets and middleware need is loaded with the first of them.',
    'getting.first-screen':
      'The first screen of each template has no warning, and fits 16 rows of 80 columns.',
    'getting.asks': 'Whoever sits at a terminal is asked for the template, by number or name.',
    'getting.templates':
      'The templates minimal, agent, camera and data have tests, notes for coding agents, settings of an editor, and a Dockerfile.',
    'getting.unknown-template':
      'An unknown template is answered with the nearest one and with all there are.',
    'getting.secrets': 'What a new application keeps to itself is hidden from git and from Docker.',
    'getting.own-node':
      'A new application brings the Node that runs it: scripts and npx take it before that of the machine.',
    'getting.old-node':
      'What an older Node cannot run says so in a line with what to do, and never passes without having run.',
    'getting.tests': 'The tests of each template pass at once.',
    'getting.check': 'Types and declarations of each template have no problem and no warning.',
    'cli.check.dev': '`waymark check --dev` says nothing of keys and models that `waymark dev` makes up for.',
    'dev.keys':
      '`waymark dev` makes the keys of declared variables that are not set once, where only this machine can connect.',
    'dev.simulated':
      '`waymark dev` answers for models whose provider has no key with a simulator, and says so.',
    'cli.first-screen':
      'The first screen fits 16 rows of 80 columns, and is coloured only where a terminal has colours.',
    'cli.hot-keys':
      'Where somebody sits at a terminal, single keys help, restart, open, list keys and show the tour.',
    'cli.tour':
      '`waymark tour` has a line for each kind of thing that a server has, and how to decide what waits.',
    'testing.request':
      'A test asks an application over real sockets, through all that guards it, and calls its tools over MCP.',
    'testing.as': 'A test calls as the principal of a declared key, without any variable that is set.',
    'testing.model':
      'In a test every model follows a script over the wire of its provider, and none that is real is asked.',
    'testing.decide': 'A test approves or declines what waits for a human.',
    'testing.clock':
      'A test may stop the clock of devices, watchers, deliveries and tokens, and let time pass.',
    'testing.isolated': 'Applications in tests keep their state in memory, each for itself.',
    'cli.check': '`waymark check` reports wrong declarations without serving.',
    'cli.mistakes':
      'The slips of a newcomer, in declarations, commands and requests, are answered in a line that says how to do better, never with a stack.',
    'cli.routes': '`waymark routes` lists the routes.',
    'cli.tools': '`waymark tools` lists the tools.',
    'cli.openapi': '`waymark openapi` prints the OpenAPI document.',
    'cli.typegen': '`waymark typegen` writes the client.',
    'cli.keygen': '`waymark keygen` makes a key.',
    'cli.mcp-config': '`waymark mcp-config` prints what an MCP client needs to connect.',
    'cli.security': '`waymark security` prints the security report.',
    'cli.call': '`waymark call` calls a tool.',
    'cli.push':
      '`waymark push` sends what ffmpeg can read to a camera, newest first, and knows what arrived.',
    'cli.push.sources':
      'A live source is begun again with 1 to 30 s between when it ends; a file ends the command with 0.',
    'cli.push.pictures':
      'Pictures are cut where their segments say, whatever lies between them; none over 64 MB is kept.',
    'cli.push.breaks':
      'Behind a break of the line `waymark push` sends nothing that was filmed before its end.',
    'cli.push.credentials': 'The credentials of a source are in no output.',
    'cli.push.no-child': '`waymark push` leaves no ffmpeg behind, whatever ends it.',
    'cli.watch':
      '`waymark watch --dry-run` shows a watcher pictures and readings from files, and prints what its agent says of each.',
    'cli.watch.nobody':
      'A dry run calls nobody but the model: no tool, no webhook, no context of SQL or code; and opens no declared database.',
    'cli.watch.calls':
      'A dry run lists the calls of tools that it did not make, with arguments, and those that would ask a human.',
    'cli.watch.change': 'A dry run skips what a watcher would skip, and says so.',
    'cli.watch.inputs':
      'What cannot be shown ends a dry run with 2 and its name, before the model is asked anything.',
    'cli.watch.model':
      'A dry run asks the model that is named or declared, and a simulator where that has no key.',
    'cli.watch.cost': 'A dry run says what its runs cost, and what that makes at most in an hour and a day.',
    'cli.watch.stop': 'Ctrl-C ends a dry run with the sum of what was shown.',
    'cli.help': 'Every command has `--help`.',
    'cli.json': 'Every command has `--json`.',
    'cli.explain':
      'Every rule of declarations has a page, with a program that breaks it, which the command line shows without an application and without a network.',
    'cli.explain.named': 'What reports a broken rule names the command that explains it.',
    'cli.exit-codes': 'Commands end with 0, 1, 2 (usage) or 78 (configuration).',
    'cli.streams': 'Commands print data on stdout and errors on stderr.',
    'cli.nearest': 'An unknown command, option or tool is answered with the one that was probably meant.',
    'cli.no-keys': 'No command prints a key that it was given.',
    'cli.dev.templates': '`waymark dev` serves again when a template changes.',
    'cli.dev.reload': '`waymark dev` says how long it took from a change to serving again.',
  }),
  ...decision.built('10.5', {
    'startup.urls': 'The startup report shows the URLs.',
    'startup.counts': 'The startup report counts what is served.',
    'startup.authentication': 'The startup report says whether authentication is configured.',
    'startup.door': 'The startup report says which door is used: table first or middleware.',
    'middleware.upgrades':
      'Middleware of an application is asked before a socket is opened, and its answer is the answer.',
    'startup.state': 'The startup report says where state is kept.',
    'startup.warnings': 'The startup report shows warnings with what to do about them.',
    'startup.time': 'The startup report says how long the start took.',
  }),
  ...decision.built('2.10', {
    'log.trace-id': 'The log line of a request with a `traceparent` names its trace.',
  }),
  ...decision.built('10.4', {
    'docs.links': 'No link of the documentation leads nowhere, to a page, to a heading or to a file.',
    'docs.rules':
      'Each rule of declarations has a page in the documentation, which the list of rules leads to.',
    'docs.snippets':
      'The programs and commands of the documentation run as they stand, and print what it shows; what is left out says why.',
    'docs.machine-readable':
      'Each page of the documentation is there as Markdown; `llms.txt` lists them, and `llms-full.txt` is all of them.',
    'docs.offline':
      'The documentation is read and searched from a folder, asks nobody else for anything, and fits light, dark and a phone.',
  }),
  ...decision.built('9.8', {
    'embed.mount': 'In a foreign express application a table begins where its door is mounted.',
    'embed.next': 'A path that the table does not know goes on to the application untouched.',
    'embed.methods': 'HEAD, OPTIONS and 405 are answered on every path that the table knows.',
    'embed.errors': 'What fails on a path of the table is answered by the door, never by the application.',
    'embed.openapi': 'The document of a mounted table names the mount as its server.',
    'embed.parsed-body': 'A body that a parser of the application has read is used.',
    'embed.consumed-body': 'A body that was read and not kept is refused at once, saying why.',
    'embed.principal': 'The application hands over whom it has authenticated.',
    'embed.principal.timeout': 'Who a request is from is told in time, or it is answered 504.',
    'embed.sockets': 'Upgrades are found below the mount, and the others left to the application.',
  }),
  ...decision.built('10.6', {
    'reference.always-authenticated': 'The reference application never runs without authentication.',
    'reference.makes-keys': 'With its variables unset on loopback it makes three keys, once.',
    'reference.operator-key': '`OPERATOR_KEY` has every scope and `svc:admin`.',
    'reference.device-key': '`DEVICE_KEY` may only ingest.',
    'reference.reader-key': '`READER_KEY` may only read.',
    'reference.key-file':
      'The keys are in `.waymark/dev.env`, readable by their owner only and ignored by git.',
    'reference.keys-once': 'It prints keys when it makes them, and never again.',
    'reference.policy': 'Its pages are held to a content security policy, and work under it.',
    'reference.watcher':
      'Its camera has a watcher, and what that says arrives at its board by a webhook whose signature is verified.',
    'reference.prints': 'It prints the keys, a curl line for each capability, and how to get other keys.',
  }),
];
