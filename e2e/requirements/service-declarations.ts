import { clauses, type Requirement } from './clause.ts';

const call = clauses('service: Declaration calls, ');

/** Table "Declaration calls": one row per call, each default on its own. */
export const serviceDeclarations: readonly Requirement[] = [
  ...call.built('route', {
    'declare.route': '`route` takes a method, a path and the route options.',
    'declare.route.shorthands':
      '`get`, `post`, `put`, `patch` and `delete` are `route` with the method filled in.',
  }),
  ...call.built('static', {
    'declare.static': '`static` answers its method and path with one constant body.',
    'declare.static.status.default': 'A static route answers 200 unless given another status.',
    'declare.static.at-boot': 'The body of a static route is serialised once, at boot.',
  }),
  ...call.built('query', {
    'declare.query': '`query` answers its method and path with the outcome of one SQL statement.',
    'declare.query.params.default': 'A query without params binds nothing.',
    'declare.query.returns.default': 'A query that does not say what it returns gives many rows.',
    'declare.query.returns': '`returns` is `many`, `one` or `affected`; other words are refused at boot.',
    'declare.query.principal': 'A parameter named `@principal` is bound to the id of the root principal.',
  }),
  ...call.built('resource', {
    'declare.resource': '`resource` turns a table into five routes.',
    'declare.resource.fields': 'A resource must give its fields as a map of name to type.',
    'declare.resource.table.default': 'The table of a resource bears the name of the resource by default.',
    'declare.resource.primary-key.default': 'The primary key of a resource is `id` by default.',
    'declare.resource.tools.default': 'The routes of a resource are no tools by default.',
    'declare.resource.scopes': '`scopes` stands for both the read and the write scopes.',
    'declare.resource.scopes.default': 'A resource asks for no scopes by default.',
    'declare.resource.read-scopes': '`read_scopes` guards the two reading routes of a resource.',
    'declare.resource.read-scopes.default': 'Without `read_scopes` reading asks for what `scopes` says.',
    'declare.resource.write-scopes': '`write_scopes` guards the three writing routes of a resource.',
    'declare.resource.write-scopes.default': 'Without `write_scopes` writing asks for what `scopes` says.',
    'declare.resource.create-table': 'With `create_table: false` the table must be there already.',
    'declare.resource.create-table.default': 'A resource makes its table by default.',
  }),
  ...call.built('page', {
    'declare.page': '`page` answers a path with a rendered template.',
    'declare.page.sql': 'A page with `sql` renders the rows of that statement.',
    'declare.page.sql.default': 'A page runs no SQL by default.',
    'declare.page.params.default': 'The statement of a page binds nothing by default.',
    'declare.page.returns.default': 'The statement of a page gives many rows by default.',
    'declare.page.bind': '`bind` names the template variable that holds the rows.',
    'declare.page.bind.default': 'The rows of a page are called `data` by default.',
    'declare.page.data': 'A page with `data` renders that constant.',
    'declare.page.data.default': 'A page has no constant data by default.',
    'declare.page.status.default': 'A page answers 200 by default.',
    'declare.page.scopes.default': 'A page asks for no scopes by default.',
    'declare.page.method.default': 'A page answers GET by default.',
    'declare.page.exclusive': 'A page that gives both `sql` and `data` is refused at boot.',
  }),
  ...call.built('page_handler', {
    'declare.page-handler': 'The map returned by a page handler is what its template sees.',
    'declare.page-handler.status.default': 'A page handler answers 200 by default.',
    'declare.page-handler.scopes.default': 'A page handler asks for no scopes by default.',
  }),
  ...call.built('static_files', {
    'declare.static-files': '`static_files` serves a directory below a path.',
    'declare.static-files.index': '`index` names the file that answers for a directory.',
    'declare.static-files.index.default': 'A directory has no index file by default.',
    'declare.static-files.cache.default': 'Static files may be cached for 3600 seconds by default.',
  }),
  ...call.built('upstream', {
    'declare.upstream': '`upstream` names a server by its base URL.',
    'declare.upstream.headers': 'The headers of an upstream go with each request to it.',
    'declare.upstream.headers.default': 'An upstream adds no headers by default.',
    'declare.upstream.bearer': '`bearer_env` names the variable whose value is sent as bearer token.',
    'declare.upstream.bearer.default': 'An upstream is sent no bearer token by default.',
    'declare.upstream.timeout.default': 'An upstream has 30000 ms to answer by default.',
  }),
  ...call.built('proxy', {
    'declare.proxy': '`proxy` forwards a method and path to a named upstream.',
    'declare.proxy.rewrite': '`rewrite` changes the path that the upstream sees.',
    'declare.proxy.rewrite.default': 'A proxy rewrites nothing by default.',
  }),
  ...call.built('api_key', {
    'declare.api-key': '`api_key` takes the variable that holds the secret and the id of its principal.',
    'declare.api-key.scopes.default': 'An API key grants no scopes by default.',
  }),
  ...call.built('jwt', {
    'declare.jwt': '`jwt` accepts tokens signed with the secret in the named variable.',
    'declare.jwt.algorithm.default': 'Tokens are expected to be signed with `HS256` by default.',
    'declare.jwt.audience.default': 'The audience of a token is not looked at by default.',
    'declare.jwt.issuer.default': 'The issuer of a token is not looked at by default.',
    'declare.jwt.leeway.default': 'The times in a token may be off by 30 seconds by default.',
  }),
  ...call.built('anonymous_scopes', {
    'declare.anonymous-scopes': '`anonymous_scopes` names what callers without credentials may do.',
  }),
  ...call.built('cors', {
    'declare.cors': '`cors` names the foreign origins that browsers may call from.',
    'declare.cors.credentials.default': 'Foreign origins may not send credentials by default.',
    'declare.cors.methods.default': 'No list of methods has to be given to `cors`.',
    'declare.cors.headers.default': 'No list of request headers has to be given to `cors`.',
    'declare.cors.expose.default': 'No response header is exposed to foreign origins by default.',
    'declare.cors.max-age.default': 'Browsers may remember a preflight answer for 600 seconds by default.',
  }),
  ...call.built('rate_limit', {
    'declare.rate-limit': '`rate_limit` bounds how many requests a caller may make.',
    'declare.rate-limit.per-second.default':
      'A declared rate limit allows 50.0 requests per second by default.',
    'declare.rate-limit.burst.default': 'A declared rate limit allows bursts of 100 by default.',
  }),
  ...call.built('security_headers', {
    'declare.security-headers': '`security_headers` sets the protective headers of every response.',
    'declare.security-headers.enabled.default': 'Security headers are on by default.',
    'declare.security-headers.frame-options.default': 'Framing is forbidden (`DENY`) by default.',
    'declare.security-headers.referrer-policy.default':
      'The referrer policy is `strict-origin-when-cross-origin` by default.',
    'declare.security-headers.csp.default': 'No content security policy is sent by default.',
    'declare.security-headers.hsts.default': 'HSTS lasts 31536000 seconds by default.',
  }),
  ...call.built('models', {
    'declare.models': '`models` maps an alias to the name of a model.',
    'declare.models.default.built-in': 'The alias `default` has a value before anything is declared.',
    'declare.models.fast.built-in': 'The alias `fast` has a value before anything is declared.',
    'declare.models.chain': 'An alias may point to another alias.',
    'declare.models.provider-form': '`<provider>/<model>` names a model on a declared provider.',
  }),
  ...call.built('provider', {
    'declare.provider': '`provider` makes the models at a base URL reachable as `<name>/<model>`.',
    'declare.provider.kind.default': 'A provider speaks the `openai` format by default.',
    'declare.provider.kind': 'The kind of a provider is `openai` or `anthropic` and nothing else.',
    'declare.provider.api-key.default': 'A provider is called without a key by default.',
  }),
  ...call.built('pricing', {
    'declare.pricing': '`pricing` says what a model costs in USD per million input and output tokens.',
    'declare.pricing.cache-read.default': 'Tokens read from the cache cost 0.0 by default.',
    'declare.pricing.cache-write.default': 'Tokens written to the cache cost 0.0 by default.',
    'declare.pricing.none-built-in': 'A model has no price until one is declared.',
  }),
  ...call.built('context', {
    'declare.context.sql': 'A context with `sql` gives the rows of that statement.',
    'declare.context.sql.default': 'A context runs no SQL by default.',
    'declare.context.params.default': 'The statement of a context binds nothing by default.',
    'declare.context.returns.default': 'The statement of a context gives many rows by default.',
    'declare.context.data': 'A context with `data` gives that constant.',
    'declare.context.data.default': 'A context has no constant data by default.',
    'declare.context.description.default': 'The description of a context is empty by default.',
    'declare.context.max-chars.default': 'A context gives at most 4000 characters by default.',
    'declare.context.function': 'A context may be a function of the request that returns a map.',
  }),
  ...call.built('memory', {
    'declare.memory.name.default': 'A memory is called `memory` by default.',
    'declare.memory.scopes': '`scopes` of a memory stands for both its read and its write scopes.',
    'declare.memory.scopes.default': 'A memory asks for no scopes by default.',
    'declare.memory.read-scopes.default': 'Without `read_scopes` recalling asks for what `scopes` says.',
    'declare.memory.write-scopes.default': 'Without `write_scopes` remembering asks for what `scopes` says.',
    'declare.memory.max-results.default': 'A search in a memory finds at most 10 entries by default.',
    'declare.memory.storage': 'A memory is stored in the table `svc_<name>`.',
    'declare.memory.remember': 'A memory brings the tool `<name>_remember(key, value)`.',
    'declare.memory.recall': 'A memory brings the tool `<name>_recall(key)`.',
    'declare.memory.search': 'A memory brings the tool `<name>_search(query, limit)`.',
    'declare.memory.forget': 'A memory brings the tool `<name>_forget(key)`.',
  }),
  ...call.built('memory', {
    'declare.memory.tool-names': 'Declaring a memory returns the names of its tools.',
  }),
  ...call.built('watch', {
    'declare.watch': '`watch` declares a watcher by its name and the watcher options.',
  }),
];
