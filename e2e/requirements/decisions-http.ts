import { clauses, type Requirement } from './clause.ts';

const decision = clauses('decisions ');

/** Decisions 2.1 to 2.13: HTTP. */
export const decisionsHttp: readonly Requirement[] = [
  ...decision.built('2.1', {
    'http.order.request-id': 'A request has its id before anything can go wrong with it.',
    'http.order.host-before-cors': 'The Host and Origin guard comes before the answer to a preflight.',
    'http.order.preflight': 'A preflight is answered before anybody is authenticated.',
    'http.order.failure-bucket':
      'A 401 of anybody, and a 404 where no route has the path and the caller is anonymous, are charged to the client address and may turn into 429; nothing else does.',
    'http.order.failure-bucket.engines': 'What an engine answers is never charged as a failure.',
    'http.order.failure-bucket.known': 'A known caller is charged for no path that leads nowhere.',
    'http.order.failure-bucket.right-credential':
      'A right credential is not refused for wrong ones from its address.',
    'http.order.rate': 'The rate limit comes after authentication and before scopes.',
    'http.order.control-first':
      'Below the control prefix 401 and 403 come first, whether the path exists or not.',
    'http.order.match':
      'An unknown path is 404 and a known one with another method 405, without credentials too.',
    'http.order.authenticate': 'A wrong credential is 404 on an unknown path and 401 on a known one.',
    'http.order.scopes': 'A caller that lacks scopes gets 401 when anonymous and 403 otherwise.',
    'http.order.scopes-before-body': 'A protected route says nothing on the body before it said 401 or 403.',
    'http.order.body-before-input': 'The limits on the body (413, 415) come before its content (400, 422).',
    'http.order.timeout': 'An engine that works for too long is answered 504.',
    'http.order.prefix-by-segment':
      'A path that merely begins with the letters of the prefix is not below it.',
  }),
  ...decision.built('2.2', {
    'http.problem.media-type': 'Errors are `application/problem+json`.',
    'http.problem.type': 'The `type` of an error is `about:blank`.',
    'http.problem.title': 'The `title` of an error is the phrase of its status.',
    'http.problem.status': 'The `status` of an error repeats the status of the response.',
    'http.problem.detail': 'The `detail` of an error is its message.',
    'http.problem.request-id': 'An error carries the `request_id` under which the log knows it.',
    'http.problem.code': 'An error that has a code of its own carries it as `code`.',
    'http.problem.errors': 'A 422 lists what is wrong as `errors` with `path` and `message`.',
    'http.problem.errors-joined': 'The `detail` of a 422 is the list joined: `<path> <message>; …`.',
    'http.problem.internal': 'The `detail` of an unhandled exception is exactly `internal error`.',
    'http.problem.unfit-head':
      'An answer whose head cannot be sent is a 500 with the phrase of a 500 and no header of the answer.',
    'http.problem.nothing-leaks': 'No answer shows a stack, SQL, a file path or what an upstream said.',
    'http.problem.logged': 'The cause of a hidden error is in the log under the request id.',
  }),
  ...decision.built('2.2', {
    'http.problem.run': 'The error of a failed run carries its whole result as `run`.',
  }),
  ...decision.built('2.3', {
    'http.status.400': 'Broken JSON and broken percent-encoding are 400.',
    'http.status.400.control-characters': 'Control characters where none belong are 400.',
    'http.status.400.twice': 'A scalar parameter given twice is 400.',
    'http.status.401': 'A 401 carries `WWW-Authenticate`.',
    'http.status.403': 'A known caller without the scopes is answered 403.',
    'http.status.404': 'A path that leads nowhere is 404.',
    'http.status.405': 'A 405 lists the methods that would work in `Allow`.',
    'http.status.413': 'A body over its limit is 413.',
    'http.status.415': 'A body of the wrong type is 415.',
    'http.status.422': 'Input that can be read but is not valid is 422.',
    'http.status.500': 'A bug is 500.',
    'http.status.504': 'A timeout is 504.',
  }),
  ...decision.built('2.3', {
    'http.status.206': 'A part of a file is 206.',
    'http.status.416': 'A range that a file does not have is 416.',
  }),
  ...decision.built('2.3', {
    'http.status.502': 'An upstream or provider that failed is 502.',
  }),
  ...decision.built('2.3', {
    'http.status.304': 'What a caller already has is 304.',
    'http.status.408': 'A request that does not arrive in time is 408.',
    'http.status.426': 'A plain GET on a socket route is 426.',
    'http.status.429': 'A 429 says in `Retry-After` when to come back.',
    'http.status.431': 'Headers that are too large are 431.',
  }),
  ...decision.built('2.3', {
    'http.status.412': 'A precondition that does not hold is 412.',
    'http.status.503': 'A service that drains or has no disk left answers 503.',
  }),
  ...decision.built('2.3', {
    'http.status.409': 'A conflict with what is stored is 409.',
  }),
  ...decision.built('2.3', {
    'http.status.410': 'An approval that has expired is 410.',
  }),
  ...decision.built('2.3', {
    'http.status.508': 'Runs nest from depth 0 to 7; one level deeper is 508.',
    'http.status.508.plain-tools': 'A plain tool adds no depth.',
  }),
  ...decision.built('2.4', {
    'http.coerce.path-and-query': 'Path and query values are turned into what their schema asks for.',
    'http.coerce.body-strict': 'JSON bodies are never coerced.',
    'http.coerce.arguments-strict': 'Tool arguments are never coerced.',
    'http.coerce.integers': '`007`, `1e1` and `0x10` are not integers.',
    'http.coerce.safe-integers': 'A number over 2^53 is not an integer.',
    'http.coerce.numbers':
      'A number in path or query is whatever JSON takes for one, and JavaScript keeps: no whole one that would be rounded.',
    'http.coerce.long-numbers':
      'A number of a JSON body has at most 1,024 characters; a longer one is refused as one that JavaScript does not keep.',
    'http.unknown.body': 'A body member that the route does not know is 422.',
    'http.unknown.arguments': 'A tool argument that the route does not know is 422.',
    'http.unknown.query': 'A query name that the route does not know is ignored and kept in `request.query`.',
    'http.unknown.strict-query': 'With `strictQuery`, on route or application, it is refused.',
  }),
  ...decision.built('2.4', {
    'http.unknown.control':
      'Listings of the control plane that can be filtered refuse query names that they do not know, and values that mean nothing.',
    'http.unknown.resource-lists': 'The list of a resource always refuses query names it does not know.',
  }),
  ...decision.built('2.5', {
    'http.path.case': 'Paths that differ in case differ.',
    'http.path.slashes': 'Paths that differ in a trailing slash differ.',
    'http.path.decoded-once': 'Path values are decoded once, after matching; `%2F` separates nothing.',
    'http.path.not-normalised': 'Paths are matched as they came, dots and doubled slashes included.',
    'http.path.head': 'HEAD answers what GET would, without the body.',
    'http.path.options': 'OPTIONS answers with `Allow`.',
    'http.path.null-prototype': 'The maps of parameters and query inherit nothing.',
    'http.path.rest': '`{name*}` matches the rest of the path.',
  }),
  ...decision.built('2.6', {
    'http.body.limit': 'A body of 1 MiB is taken by default, one byte more is 413.',
    'http.body.limit-per-route': 'A route can set another limit as `maxBodyBytes`.',
    'http.body.turns':
      'Bodies that come together are parsed one in a turn of the event loop where that takes long, a long one in several, and each caller has turns.',
    'http.body.slices':
      'A chunked body is parsed in slices of 4 KiB, or 16 KiB while its chunks are large, as many in a turn of the event loop as others leave of 1 MiB, a chunk counted as 2 KiB more.',
    'http.requests.turns':
      'Of requests and upgrades that come together 4 ms are begun in a turn of the event loop, then those of each caller for 1 ms in turn; who leaves meanwhile is not begun.',
    'http.requests.accepted':
      'While connections come, work that waits for a later turn of the event loop is put off for up to 16 turns, in each of which one is accepted.',
    'http.socket.pieces':
      'What comes of a message that is not whole is read within the 1 MiB and 2 ms that bodies have in a turn of the event loop, all together; its pieces are given back once it is put together, and what a text of 64 KiB came in once it is read. A frame of more than 64 KiB is put together and unmasked as it comes, in no more than four times what came of it.',
    'http.socket.slices':
      'What is read of a socket is parsed in slices of 4 KiB while it holds many messages, up to 64 KiB else; sockets that send at once have 2 ms of a turn of the event loop together, and so have those that wait, those of each caller in turn.',
    'http.last-answer.pace':
      'What still comes behind the last answer of a connection, or on a socket that was refused, is dropped within what bodies have in a turn of the event loop; nobody hears it.',
    'http.last-answer.socket':
      'Of a socket that was refused or sent a broken frame, or an upgrade that was refused, 16 KiB more are read, its answer to the close frame among them; whoever goes on is kept waiting until the connection is cut, a second later, and has heard why.',
    'http.last-answer.room':
      'Behind their last answer 64 connections of an address stay, 512 of all; the one that has stayed for longest, of the address that has most, is cut for the next.',
    'http.socket.fragments':
      'A message of a socket has 1,024 fragments and one more for each 4 KiB that it may have; one more closes the socket with 1008.',
    'http.body.limit-declared': 'A body that declares too great a length is refused before it is read.',
    'http.body.limit-while-reading': 'A body that declares no length is refused once it passed the limit.',
    'http.body.raw': 'A route without body parameters takes any content type and gives the raw bytes.',
    'http.body.json-only-where-declared': '415 answers a wrong content type only where JSON is declared.',
    'http.body.prototype': '`__proto__`, and `constructor` holding `prototype`, are 400.',
    'http.body.utf-8': 'JSON that is not UTF-8 is refused.',
    'http.header.two-keys': 'Two `x-api-key` headers are 401.',
    'http.stream.linger': 'A stream that ends while its caller still sends reaches the caller.',
    'http.body.cut': 'After a 413 the connection is closed, with a short pause, and cut if need be.',
    'http.body.encoding': 'A body with a `content-encoding` is 415.',
    'http.header.two-hosts': 'Two `Host` headers are 400.',
    'http.body.depth': 'JSON nested deeper than 64 is refused.',
    'http.body.values': 'JSON of more than 100,000 values is 413, before it is parsed.',
    'http.body.refused-as-it-comes':
      'JSON that may be large is refused for its values or its depth as it comes, not behind its end.',
    'http.body.values-per-route': 'A route can set another number of values as `maxBodyValues`.',
    'http.body.numbers':
      'A number in JSON that is not kept as it is, a whole one that would be rounded or one beyond 1.8e308, is 422 and its place named, at every door.',
  }),
  ...decision.built('2.6', {
    'http.body.limit-agents': 'Agent routes that take images take 32 MiB, others 1 MiB and their input.',
  }),
  ...decision.built('2.4', {
    'route.pattern.length':
      'A text with a pattern and no `maxLength` has 1,024 characters, or fewer where the pattern is worse than quadratic, and says so.',
    'route.pattern.time':
      'No pattern takes longer for a bad text than for a good one that anybody could notice.',
    'route.pattern.warned':
      'A pattern whose `maxLength` lets it take long is warned about at boot, with a text that shows it.',
  }),
  ...decision.built('2.6', {
    'http.body.limit-proxies': 'Proxies take bodies of any size.',
  }),
  ...decision.built('2.6', {
    'http.body.in-flight.caller':
      'The bodies that the requests of one caller hold at a time are 64 MiB together, and the next one is 503 with `Retry-After`.',
    'http.body.in-flight.total': 'The bodies that the requests of all callers hold are 256 MiB together.',
    'http.body.in-flight.given-back':
      'What a body holds is given back when its request is answered or its client gone.',
    'http.body.in-flight.streamed': 'A body that is handed on as it comes holds nothing.',
    'http.body.in-flight.messages':
      'A message that is not whole holds its bytes, too, and its socket is closed with 1013 where there is no room.',
  }),
  ...decision.built('2.6', {
    'http.pipeline.in-turn':
      'Requests that are sent ahead on one connection begin one after the other, each when the answer before it is written.',
    'http.pipeline.bound':
      'Behind 16 of those that wait, nothing more is parsed at once: the connection is parsed in slices of 4 KiB, each when fewer wait.',
    'http.pipeline.any-number': 'However many are sent ahead, all are answered, and the connection stays.',
    'http.pipeline.closed':
      'On a server that is not ours 128 wait at most: the answer to the last of them is the last of the connection, and none behind it is begun.',
  }),
  ...decision.built('2.6', {
    'http.units': 'KB is 1,024 and MB is 1,048,576 bytes, everywhere.',
  }),
  ...decision.built('2.7', {
    'http.browser.cross-origin':
      'A request that changes state and that a browser marks as cross-origin is 403.',
    'http.browser.upgrade': 'So is an upgrade.',
    'http.browser.cors-allows': 'An origin listed in `cors` passes this guard.',
    'http.browser.others': 'Callers that send neither `Sec-Fetch-Site` nor `Origin` are unaffected.',
    'http.host.allow-list':
      'The control plane answers only to loopback names, the bound host, `publicUrl` and `allowedHosts`.',
    'http.host.says-option': 'The 403 of the Host guard names the option that would help.',
    'http.host.without-authentication': 'While no authentication is configured, so does every other route.',
    'http.host.health': 'Health is exempt from the Host guard once authentication is configured.',
  }),
  ...decision.built('2.8', {
    'http.headers.everywhere': 'Security headers are on every response, errors and upgrades too.',
    'http.headers.no-store.control': 'What is below the control prefix is `no-store`, errors included.',
    'http.headers.no-store.private':
      'What scopes decided or a known caller was told is `no-store`, or `private, no-cache` where it has a tag, unless the answer says so itself.',
    'http.headers.no-store.public': 'Nothing is said of the keeping of what anybody is told.',
    'http.headers.policy-pages':
      '`pages` stands for a content security policy without anything inline or from elsewhere.',
    'http.headers.hsts-https':
      'HSTS is sent only for requests that came by https, told by `trustProxy` if set.',
    'http.cors.star-credentials': '`*`, or `null`, together with credentials fails the boot.',
    'http.cors.methods': 'Without a list, `cors` allows GET, POST, PUT, PATCH, DELETE and OPTIONS.',
    'http.cors.own-headers':
      'A route may add headers of its own, sent and read, to those that `cors` gives everywhere.',
    'http.cors.headers':
      'Without a list, `cors` allows content-type, authorization, x-api-key, x-request-id, idempotency-key, last-event-id.',
  }),
  ...decision.built('2.9', {
    'http.rate.bucket': 'The rate limit is a token bucket.',
    'http.rate.by-principal': 'A known caller has a bucket of its own, from whatever address.',
    'http.rate.by-address': 'Anonymous callers have a bucket per address, per /64 for IPv6.',
    'http.rate.bounded': 'There is a bound on the number of buckets.',
    'http.rate.trust-proxy': 'Forwarding headers count for nothing unless `trustProxy` is set.',
    'http.rate.proxy-notice': 'Forwarding headers that arrive unasked are noticed once in the log.',
    'http.rate.failures':
      'Failures are limited to 20 per second and 200 at once, unless `failureLimit` differs.',
    'http.rate.headers': 'Answers carry `RateLimit`, `RateLimit-Policy` and, when refused, `Retry-After`.',
    'http.rate.batch-members': 'Each member of an MCP batch is charged.',
    'http.neighbour.time':
      'Whatever one caller does at a door, 99 of 100 requests of another are answered in 100 ms.',
    'http.neighbour.rows': 'It takes away no row, run, memory or conversation of another.',
  }),
  ...decision.built('2.9', {
    'http.rate.turns': 'Each turn on an agent socket is charged.',
  }),
  ...decision.built('2.9', {
    'http.rate.device-sockets': 'What a device socket sends is charged to another bucket than requests are.',
    'http.places.caller':
      'One caller has 100 WebSockets and streams without an end open at a time, and one more is 429.',
    'http.places.total': 'All callers have 10,000 of them together, and one more is 503.',
    'http.places.before-work': 'A stream that there is no place for is refused before its route works.',
    'http.places.finite': 'An answer that has an end of its own takes no place.',
    'http.places.credential':
      'A stream without an end ends with the credential of its caller: of events with a 401 as the last, others are cut.',
  }),
  ...decision.built('2.10', {
    'http.request-id.kept': 'A request id of 1 to 128 characters out of `[A-Za-z0-9-_.:]` is kept.',
    'http.request-id.ulid': 'Any other, and none, is replaced by a ULID.',
    'http.log.members':
      'The log line has request id, method, path, route, status, principal, bytes and duration.',
    'http.log.no-query': 'The log line never has the query.',
  }),
  ...decision.built('2.11', {
    'http.timeout.signal': 'A handler that is out of time sees its `AbortSignal` aborted.',
    'http.timeout.tools': 'A tool call is timed and aborted like a request to its route.',
    'http.timeout.mcp': 'What bounds a call over MCP is the timeout of its route alone.',
    'http.timeout.headers': 'Headers have to arrive within 10 s.',
    'http.timeout.keep-alive': 'An idle connection is kept for 75 s.',
  }),
  ...decision.built('2.11', {
    'http.timeout.stream': 'A stream is timed to its first byte and from then on by its pauses.',
  }),
  ...decision.built('2.11', {
    'http.timeout.providers': 'The abort reaches a call of a model provider.',
  }),
  ...decision.built('2.11', {
    'http.timeout.upstreams': 'The abort reaches a request to an upstream.',
  }),
  ...decision.built('2.11', {
    'http.timeout.agent-leg': 'The agent timeout counts one leg of active time; waiting for a human is free.',
    'http.timeout.approvals': 'Deciding an approval has the agent timeout.',
  }),
  ...decision.built('2.12', {
    'http.shutdown.in-flight': 'After SIGTERM or SIGINT requests under way are answered.',
    'http.shutdown.exit': 'After that the process ends with exit code 0.',
    'http.shutdown.new-requests': 'While draining new requests are 503 with `Connection: close`.',
    'http.shutdown.sockets': 'Sockets are closed with 1001.',
    'http.shutdown.health': 'While draining health is 503 `draining`.',
    'http.shutdown.live': 'While draining `health?live` is still 200.',
    'http.shutdown.hanging': 'The process is gone 1 s after `shutdownTimeout` whatever hangs.',
    'http.shutdown.second-signal': 'A second signal ends the process at once.',
  }),
  ...decision.built('2.12', {
    'http.shutdown.runs': 'Runs under way are left ready for the next process.',
    'http.shutdown.failure':
      'A failure that nobody handles ends the process with 1, and only after the same drain as a signal.',
    'http.shutdown.failure.logged':
      'It is logged `fatal`, with the route and the request id that it came from.',
    'http.shutdown.failure.again': 'Another failure meanwhile is logged, and cuts nothing short.',
    'http.shutdown.failure.own-listener': 'An application that listens to such failures itself keeps them.',
  }),
  ...decision.built('2.1', {
    'http.cost.promises':
      'A request makes no promise where nothing is waited for, and two where a body is: a tool call over MCP among them.',
    'http.cost.memory': 'What a request takes of the heap is counted and bounded, by kind of request.',
    'http.cost.code':
      'What a request calls of the code of the service is counted and bounded, by kind of request: a read by SQL among them.',
    'http.validation.tiers':
      'The schema of a route is compiled once it was checked a thousand times; what is refused, and in which words, is the same before and after.',
    'http.context.body':
      'Where a body was waited for, a handler runs in the async context in which the request was handed to the door.',
  }),
  ...decision.built('2.13', {
    'config.order': 'A flag beats the environment and the environment beats an option.',
    'config.port': '`PORT` sets the port.',
    'config.host': '`WAYMARK_HOST` sets the host.',
    'config.log-level':
      '`LOG_LEVEL` and `NODE_ENV` are understood; a level that there is not keeps the server from starting.',
    'config.env-file': '`.env` is read.',
    'config.env-file.project':
      'It is the one beside the file of the application, else the nearest above it, as far as its package or the working directory, and no other.',
    'config.blame': 'What a variable says is blamed on the variable, and on no line of the application.',
    'config.unknown': 'A `WAYMARK_` variable that nobody knows is warned about.',
  }),
  ...decision.built('2.13', {
    'config.database': '`WAYMARK_DATABASE_URL` sets the database.',
    'config.unprefixed':
      '`HOST` and `DATABASE_URL` count where they make sense and are warned about otherwise.',
  }),
];
