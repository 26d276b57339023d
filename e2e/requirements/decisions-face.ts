import { clauses, type Requirement } from './clause.ts';

const decision = clauses('decisions ');

/** Decisions 1.1 to 1.8: the TypeScript face. */
export const decisionsFace: readonly Requirement[] = [
  ...decision.built('1.1', {
    'face.options.camel-case': 'In TypeScript an option such as `control_prefix` is written `controlPrefix`.',
    'face.wire.snake-case':
      'Members of bodies and records, and query names, keep their snake_case on the wire.',
  }),
  ...decision.built('1.2', {
    'face.methods.routes':
      '`createApplication` offers `route get post put patch delete static` and `apiKey`.',
    'face.methods.thin': 'Each method hands over to a pure function that returns its declaration as data.',
    'face.packages-alone': 'Packages can be composed to a server without `createApplication`.',
  }),
  ...decision.built('1.2', {
    'face.methods.letter': 'It offers `jwt anonymousScopes cors rateLimit securityHeaders`.',
  }),
  ...decision.built('1.2', {
    'face.methods.data': 'It offers `query resource memory`.',
    'face.memory.returns-names': '`memory(name?)` gives back the names of its tools.',
  }),
  ...decision.built('1.2', {
    'face.methods.pages': 'It offers `page pageHandler staticFiles upstream proxy`.',
  }),
  ...decision.built('1.2', {
    'face.methods.models': 'It offers `models provider pricing`.',
  }),
  ...decision.built('1.2', {
    'face.methods.agent': 'It offers `agent`.',
  }),
  ...decision.built('1.2', {
    'face.methods.behaviour': 'It offers `behaviour` with a function, with options, with a name and options.',
    'face.behaviour.name': 'A behaviour without a name is called like its function.',
  }),
  ...decision.built('1.2', {
    'face.methods.flow': 'It offers `flow`.',
  }),
  ...decision.built('1.2', {
    'face.methods.context': 'It offers `context`; `context(name, fn)` is the form with a function.',
  }),
  ...decision.built('1.2', {
    'face.methods.devices': 'It offers `camera` and `sensor`.',
  }),
  ...decision.built('1.2', {
    'face.methods.watch': 'It offers `watch`.',
  }),
  ...decision.built('1.3', {
    'face.signature.record': 'The signature of a handler is a flat record of TypeBox schemas.',
    'face.signature.typed-input':
      'The first argument of a handler is typed by its schemas and its path template.',
    'face.signature.path-strings': 'A path parameter without a schema is a string.',
    'face.signature.request': 'The second argument of a handler is the request object.',
    'face.output.one': '`output` may be one schema.',
    'face.output.by-status': '`output` may map statuses to schemas.',
    'face.signature.raw-schema': 'A raw JSON Schema may stand in for a TypeBox one and is left as it is.',
    'face.schema.keywords':
      'A key of a schema that is neither a keyword nor begins with `x-` fails the boot.',
    'face.references': 'A reference in a schema means the same to every reader, or fails the boot.',
    'face.library.enforced': 'A Standard Schema is accepted, and what its library refuses is refused.',
    'face.library.everywhere': 'A Standard Schema may stand wherever a schema may.',
    'face.library.described': 'Its JSON Schema is what document, tools and client show.',
    'face.library.typed': 'A handler is typed by what the library gives, a client by what it accepts.',
    'face.library.whole': 'The properties of a whole Standard Schema are the parameters.',
    'face.library.transforms': 'A handler is given what the library makes of the value.',
    'face.library.stored': 'A run goes on with what was sent, which its library reads once in each leg.',
    'face.library.refused':
      'A schema that could not be enforced or described fails the boot and names its library.',
  }),
  ...decision.built('1.4', {
    'face.source.path': 'A parameter named in the path template is taken from the path.',
    'face.source.query': 'For GET, HEAD and DELETE the other parameters are taken from the query.',
    'face.source.body': 'For POST, PUT and PATCH the other parameters are taken from the JSON body.',
    'face.source.from': '`from("query", schema)` takes one parameter from the query all the same.',
    'face.source.content':
      '`from("content", schema)` takes the whole JSON body, which need not be an object.',
    'face.source.get': '`request.get` looks in path, query and body whatever the method is.',
  }),
  ...decision.built('1.4', {
    'face.source.query-declaration': 'The parameters of a `query` come from the same places.',
  }),
  ...decision.built('1.4', {
    'face.source.page-declaration': 'The parameters of a `page` come from the same places.',
  }),
  ...decision.built('1.5', {
    'face.required': 'A parameter with a default, and an optional one, is never listed as `required`.',
  }),
  ...decision.built('1.6', {
    'face.description.order': 'A tool is described by summary, else docstring, else `METHOD path`.',
    'face.description.never-empty': 'No tool has an empty description.',
    'face.description.whole-docstring': 'The docstring is used whole, all of its lines.',
    'face.docstring.comment': 'The comment block that opens the body of a handler is its docstring.',
    'face.docstring.directive': 'A string directive that opens the body of a handler is its docstring.',
    'face.description.openapi-only': 'The option `description` shows in OpenAPI and not in the tool.',
  }),
  ...decision.built('1.7', {
    'face.result.json': 'A JSON value returned by a handler is answered with 200.',
    'face.result.undefined': 'A handler that returns nothing is answered with 204.',
    'face.result.bytes': 'Bytes returned by a handler are answered as they are.',
    'face.result.reply-class': '`Reply` takes body, status, headers and content type by position.',
    'face.result.reply-function':
      '`reply(status, body)` is typed by what the route declares for that status.',
    'face.result.http-error': 'What a caller should read about a failure is thrown as `HTTPError`.',
  }),
  ...decision.built('1.7', {
    'face.result.generator': 'An async generator reports progress by `yield` and answers by `return`.',
    'face.result.image': 'A handler may return an image.',
    'face.result.stream': 'A handler may return a stream.',
  }),
  ...decision.built('1.8', {
    'boot.all-at-once': 'One start reports all wrong declarations, not the first one only.',
    'boot.unknown-option': 'An option that does not exist fails the boot.',
    'boot.option-types': 'An option or argument of another type fails the boot, in JavaScript, too.',
    'boot.duplicates': 'Declaring the same thing twice fails the boot.',
    'boot.tool-names': 'Two tools of one name fail the boot.',
    'boot.error.place': 'A declaration error gives the declaration with its file and line.',
    'boot.error.rule': 'A declaration error gives the rule that was broken.',
    'boot.error.nearest': 'A declaration error gives the nearest name that would be valid.',
    'boot.error.fix': 'A declaration error says what to write instead.',
    'boot.error.code': 'A declaration error names the rule by a stable code, and gives all of it as data.',
    'boot.pattern-warning': 'A regular expression that may run away is warned about.',
    'boot.nothing-waits': 'A server that started has no mistake left for a request to find.',
  }),
  ...decision.built('1.8', {
    'boot.unknown-names':
      'A name that stands for no declared tool, agent, device or the like fails the boot.',
    'boot.agent-lacks-scopes': 'An agent without the scopes that its own tools ask for fails the boot.',
  }),
  ...decision.built('1.8', {
    'boot.templates': 'A template that does not parse fails the boot.',
  }),
  ...decision.built('1.8', {
    'boot.sql': 'SQL that does not parse fails the boot.',
    'boot.placeholders': 'Placeholders that do not match `params` fail the boot.',
  }),
  ...decision.built('1.8', {
    'boot.flow-in-itself': 'A flow that contains itself fails the boot.',
  }),
];
