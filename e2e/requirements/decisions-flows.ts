import { clauses, type Requirement } from './clause.ts';

const decision = clauses('decisions ');

/** Decisions 7.1 to 7.3: behaviours and flows. */
export const decisionsFlows: readonly Requirement[] = [
  ...decision.built('7.1', {
    'behaviour.route.path':
      'A behaviour without `expose_at` is POST `/behaviours/` plus its name with hyphens.',
    'behaviour.route.body': 'The body of the request is the input.',
    'behaviour.route.answer': 'The answer is the value of the function.',
    'behaviour.route.halted': '`halt` and exhausted limits are answered 200 `{halted: true, reason}`.',
    'behaviour.ctx.uncounted':
      'One run of a behaviour has 10000 values, messages and contexts; one more ends it as a used up `maxSteps` does.',
    'behaviour.route.http-error': 'An `HTTPError` keeps its status.',
    'behaviour.route.cancelled': 'A behaviour whose run was cancelled is answered 409.',
    'behaviour.ctx.promises': 'Members of `ctx` that reach out return promises.',
    'behaviour.ctx.declared-only': 'Tools and contexts that are not declared cannot be reached.',
    'behaviour.ctx.run-child': 'What `ctx.run` starts is a child of the run, and its output is the value.',
    'behaviour.ctx.run-in-tools': 'What `ctx.run` runs must be among the `tools`.',
    'behaviour.ctx.extensions': '`ctx` also has `now`, `random`, `uuid` and `signal`.',
    'behaviour.option.input': '`input` gives a behaviour a typed signature.',
    'behaviour.option.input.default': 'Without `input` any JSON object is accepted.',
  }),
  ...decision.built('7.1', {
    'behaviour.route.waiting': 'A behaviour that waits is answered 202 with the envelope.',
  }),
  ...decision.built('7.2', {
    'behaviour.ask.ways': 'A schema is asked for natively, else by a forced tool, else parsed from text.',
    'behaviour.ask.repair': 'An answer that does not conform is repaired once and validated.',
    'behaviour.ask-many.order': '`ask_many` keeps the order of the prompts.',
    'behaviour.ask-many.charged': '`ask_many` charges every answer.',
    'behaviour.gather.awaits-all':
      '`gather` calls and awaits all items; the first failure by position counts.',
  }),
  ...decision.built('7.3', {
    'flow.route.post': 'A flow is started by POST.',
    'flow.result.members': 'A result has flow, run_id, status, output, steps and usage.',
    'flow.result.steps': 'A step has tool, duration_ms, ok and, if any, error and label.',
    'flow.route.failed': 'A failed step is a 502 problem with `run`.',
    'flow.input.default':
      'By default a flow takes an object with an optional string `input` and anything else.',
    'flow.step.agent-input': 'An agent step without a mapping is given `{input: previous}`.',
    'flow.step.other-input':
      'Other steps are given the object before them; a scalar is wrapped as `{input}`.',
    'flow.step.unwrapped': 'Of an envelope the next step sees the `output`.',
    'flow.step.early-end':
      'A step that ran into step_limit, max_tokens or budget_exhausted passes that status to its flow, with 200.',
    'flow.template.escape': '`$$` stands for a literal `$`.',
    'flow.merge.folds': '`merge` folds objects, the later wins, and puts others under the name of the tool.',
    'flow.router.forced': 'A router makes one forced choice among the labels.',
    'flow.router.unknown':
      'An unknown label takes the `default` step, else the flow fails and names the label.',
    'flow.router.default-alone': '`default` without `route` fails the boot.',
  }),
  ...decision.built('7.3', {
    'flow.route.waiting': 'A flow that waits is answered 202.',
  }),
];
