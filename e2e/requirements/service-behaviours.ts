import { clauses, type Requirement } from './clause.ts';

const option = clauses('service: Behaviour options, ');
const member = clauses('service: Behaviour context object, ');

/** Paragraph "Behaviour options" (function, name, twelve options) and table "Behaviour context object". */
export const serviceBehaviours: readonly Requirement[] = [
  ...option.built('function', {
    'behaviour.function': 'A behaviour is a function that receives a context object and its input.',
    'behaviour.name.optional': 'A behaviour needs no separate name.',
  }),
  ...option.built('description', {
    'behaviour.option.description.default': 'The description of a behaviour is empty by default.',
  }),
  ...option.built('tools', {
    'behaviour.option.tools': 'A behaviour may call the tools it names and no others.',
    'behaviour.option.tools.default': 'A behaviour has no tools by default.',
  }),
  ...option.built('context', {
    'behaviour.option.context': 'A behaviour may read the context providers it names and no others.',
    'behaviour.option.context.default': 'A behaviour has no context by default.',
  }),
  ...option.built('scopes', {
    'behaviour.option.scopes': 'A behaviour may do what both its `scopes` and its caller allow.',
    'behaviour.option.scopes.default': 'A behaviour has no scopes by default.',
  }),
  ...option.built('max_steps', {
    'behaviour.option.max-steps': 'A behaviour ends when it has used up its steps.',
    'behaviour.option.max-steps.default': 'A behaviour has 50 steps by default.',
  }),
  ...option.built('token_budget', {
    'behaviour.option.token-budget': 'The budget of a behaviour covers everything it calls.',
    'behaviour.option.token-budget.default': 'A behaviour has no token budget by default.',
  }),
  ...option.built('model', {
    'behaviour.option.model': 'Questions a behaviour asks go to the model it names.',
    'behaviour.option.model.default': 'A behaviour asks the alias `default` by default.',
  }),
  ...option.built('max_tokens', {
    'behaviour.option.max-tokens.default': 'One answer to a behaviour may have 16000 tokens by default.',
  }),
  ...option.built('temperature', {
    'behaviour.option.temperature.default':
      'A behaviour sets no temperature by default, and then none is sent.',
  }),
  ...option.built('expose_at', {
    'behaviour.option.expose-at': 'A behaviour answers at the path given as `expose_at`.',
    'behaviour.option.expose-at.default': 'A behaviour needs no path of its own choosing.',
  }),
  ...option.built('expose_scopes', {
    'behaviour.option.expose-scopes': 'Starting a behaviour takes the scopes listed in `expose_scopes`.',
    'behaviour.option.expose-scopes.default': 'A behaviour lists no `expose_scopes` by default.',
  }),
  ...option.built('tool', {
    'behaviour.option.tool': 'With `tool: false` a behaviour is not offered as a tool.',
    'behaviour.option.tool.default': 'A behaviour is a tool by default.',
  }),
  ...member.built('call', {
    'behaviour.ctx.call': '`ctx.call` runs a tool with named arguments and gives its value.',
  }),
  ...member.built('gather', {
    'behaviour.ctx.gather': '`ctx.gather` runs several tools and gives the list of their values.',
    'behaviour.ctx.gather.pair': 'An item of `gather` may be a pair of tool and arguments.',
    'behaviour.ctx.gather.name': 'An item of `gather` may be the bare name of a tool.',
    'behaviour.ctx.gather.map': 'An item of `gather` may be a map of `tool` and arguments.',
    'behaviour.ctx.gather.exceptions': 'With `return_exceptions` a failure takes its place in the list.',
    'behaviour.ctx.gather.exceptions.json':
      'As JSON such a failure has its message, status, code and tool, before and after a resume.',
    'behaviour.ctx.gather.exceptions.default': 'Without it a failing item makes `gather` fail.',
  }),
  ...member.built('ask', {
    'behaviour.ctx.ask': '`ctx.ask` puts one prompt to a model and gives its answer.',
    'behaviour.ctx.ask.schema': 'An answer asked for with a schema conforms to it.',
    'behaviour.ctx.ask.optional': 'Everything but the prompt may be left out of `ask`.',
  }),
  ...member.built('ask_many', {
    'behaviour.ctx.ask-many': '`ctx.ask_many` puts several prompts to a model and gives a list of answers.',
    'behaviour.ctx.ask-many.concurrency': 'No more than `concurrency` prompts are under way at once.',
    'behaviour.ctx.ask-many.concurrency.default': 'Eight prompts are under way at once by default.',
  }),
  ...member.built('context', {
    'behaviour.ctx.context': '`ctx.context` reads a declared context provider and refuses any other.',
  }),
  ...member.built('run', {
    'behaviour.ctx.run': '`ctx.run` runs something by name with named arguments and gives its value.',
  }),
  ...member.built('log', {
    'behaviour.ctx.log': '`ctx.log` adds a message to the trace of the run.',
  }),
  ...member.built('halt', {
    'behaviour.ctx.halt': '`ctx.halt` ends the run with a reason; nothing after it is executed.',
  }),
  ...member.built('tools', {
    'behaviour.ctx.tools': '`ctx.tools` lists the names of the declared tools.',
  }),
  ...member.built('contexts', {
    'behaviour.ctx.contexts': '`ctx.contexts` lists the names of the declared context providers.',
  }),
  ...member.built('user', {
    'behaviour.ctx.user': '`ctx.user` holds `id`, `root_id`, `authenticated` and `scopes`.',
  }),
  ...member.built('usage', {
    'behaviour.ctx.usage':
      '`ctx.usage` holds steps, tokens, budgets and depth: the nine members of the table.',
  }),
  ...member.built('trace', {
    'behaviour.ctx.trace': '`ctx.trace` lists what the run has done so far as maps.',
  }),
  ...member.built('run_id', {
    'behaviour.ctx.run-id': '`ctx.run_id` is the id of the run.',
  }),
  ...member.built('depth', {
    'behaviour.ctx.depth': '`ctx.depth` is the nesting depth of the run as an integer.',
  }),
];
