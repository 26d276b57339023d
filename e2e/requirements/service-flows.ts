import { clauses, type Requirement } from './clause.ts';

const option = clauses('service: Flow options, ');

/** Table "Flow options" and the two sentences on steps below it. */
export const serviceFlows: readonly Requirement[] = [
  ...option.built('pipeline, parallel, route', {
    'flow.option.shape': 'A flow is a pipeline, parallel or a route; none or two of them is a boot error.',
    'flow.option.pipeline': 'A pipeline gives each step what the step before it answered.',
    'flow.option.parallel': 'A parallel flow gives every step the same input at once.',
    'flow.option.route': 'A routing flow runs the one step its input was classified for.',
  }),
  ...option.built('merge', {
    'flow.option.merge': 'A parallel flow joins its results by `collect` or `merge`, nothing else.',
    'flow.option.merge.default': 'A parallel flow collects by default.',
  }),
  ...option.built('route', {
    'flow.option.route.labels': '`route` maps each label to its step.',
    'flow.option.route.default': 'A flow has no labels by default.',
  }),
  ...option.built('default', {
    'flow.option.default': 'A routing flow may name the step for everything else.',
    'flow.option.default.default': 'A routing flow has no such step by default.',
  }),
  ...option.built('classify_with', {
    'flow.option.classify-with': 'The model behind `classify_with` chooses the label.',
    'flow.option.classify-with.default': 'Without it the alias `fast` chooses.',
  }),
  ...option.built('classify_prompt', {
    'flow.option.classify-prompt': 'A classification prompt may refer to `{labels}` and `{input}`.',
    'flow.option.classify-prompt.default': 'No prompt has to be written to classify.',
  }),
  ...option.built('description', {
    'flow.option.description.default': 'The description of a flow is empty by default.',
  }),
  ...option.built('scopes', {
    'flow.option.scopes': 'A flow may do what both its `scopes` and its caller allow.',
    'flow.option.scopes.default': 'A flow has no scopes by default.',
  }),
  ...option.built('expose_scopes', {
    'flow.option.expose-scopes': 'Starting a flow takes the scopes listed in `expose_scopes`.',
    'flow.option.expose-scopes.default': 'A flow lists no `expose_scopes` by default.',
  }),
  ...option.built('token_budget', {
    'flow.option.token-budget': 'The budget of a flow covers all of its steps together.',
    'flow.option.token-budget.default': 'A flow has no token budget by default.',
  }),
  ...option.built('expose_at', {
    'flow.option.expose-at': 'A flow answers at the path given as `expose_at`.',
    'flow.option.expose-at.default': 'Without it a flow answers at `/flows/` plus its name with hyphens.',
  }),
  ...option.built('tool', {
    'flow.option.tool': 'With `tool: false` a flow is not offered as a tool.',
    'flow.option.tool.default': 'A flow is a tool by default.',
  }),
  ...option.built('input_schema', {
    'flow.option.input-schema': 'A flow checks its input against the schema it was given.',
    'flow.option.input-schema.default': 'A flow declares no input schema by default.',
  }),
  ...option.built('step', {
    'flow.step.name': 'A step may be the bare name of a tool.',
    'flow.step.map': 'A step may be a map of `tool` and `input`.',
  }),
  ...option.built('template strings', {
    'flow.template.incoming': '`$` and `$.path` stand for the value that reached the step, or a part of it.',
    'flow.template.input': '`$input` and `$input.path` stand for the input of the flow, or a part of it.',
  }),
];
