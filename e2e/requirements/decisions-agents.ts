import { clauses, type Requirement } from './clause.ts';

const decision = clauses('decisions ');

/** Decisions 6.1 to 6.11: models and agents. */
export const decisionsAgents: readonly Requirement[] = [
  ...decision.built('6.1', {
    'model.alias.default': 'The alias `default` is `claude-opus-5` until set.',
    'model.alias.fast': 'The alias `fast` is `claude-haiku-4-5-20251001` until set.',
    'model.alias.chain': 'A chain of aliases has 8 links at most.',
    'model.alias.cycle': 'A cycle of aliases fails the boot.',
    'model.alias.unknown-provider': 'An alias on an unknown provider fails the boot.',
    'model.alias.list': 'An alias may be a list: the first model, then those to fall back on.',
    'model.provider.prefix': '`anthropic`, `openai` and `ollama` are there as prefixes.',
    'model.provider.bare': 'Bare `claude-*`, `gpt-*` and `o<digit>*` find their provider.',
    'model.provider.keys': 'Keys are in `ANTHROPIC_API_KEY` and `OPENAI_API_KEY`, the host in `OLLAMA_HOST`.',
    'model.provider.missing-key':
      'Without its key a provider fails the runs that use it, naming the variable, and nothing else.',
  }),
  ...decision.built('6.2', {
    'model.format.openai': 'Chat Completions are spoken to providers of kind `openai`.',
    'model.format.anthropic': 'Messages are spoken to providers of kind `anthropic`.',
    'model.format.opaque': 'Blocks that we do not know travel on untouched.',
    'model.format.temperature': '`temperature` is sent only when set.',
    'model.format.images':
      'An `openai` provider gets the images of a tool result in a user message after it.',
  }),
  ...decision.built('6.3', {
    'simulator.formats': 'The scripted model server speaks both formats and is deterministic.',
    'simulator.official-clients': 'The official SDKs work against it.',
  }),
  ...decision.built('6.3', {
    'simulator.reference':
      'Without any provider key the reference server starts it, leads its aliases there, and says so on its first screen.',
  }),
  ...decision.built('6.3', {
    'simulator.offline': 'Without any provider key the reference server uses it and says so visibly.',
  }),
  ...decision.built('6.4', {
    'agent.route.post': 'An agent is started by POST.',
    'agent.result.members':
      'A result has run_id, agent, path, status, output, steps, usage and, if any, session_id, pending_approvals.',
    'agent.result.statuses':
      'Its status is completed, max_tokens, step_limit, budget_exhausted, awaiting_approval, failed or cancelled.',
    'agent.route.ok': 'A run that ended is answered 200.',
    'agent.route.failed': 'A failed run is a problem with 502, 504 or 500, by cause, and the member `run`.',
    'agent.step.members': 'A step has seq, kind, at_ms and duration_ms, and what its kind adds.',
    'agent.step.kinds':
      'Kinds of steps are model, tool_call, tool_refused, approval_requested, approval_decided, handoff, compaction, context.',
    'agent.usage.members':
      'Usage counts tokens (4 kinds and the tree), steps, tool_calls, handoffs, compactions, images_dropped, cost_usd.',
    'agent.sse.steps': 'With `Accept: text/event-stream` steps are streamed and a `result` ends the stream.',
    'agent.sse.deltas': 'With `stream: true` deltas of the text are streamed too.',
    'agent.sse.early-error': 'What fails before anything was streamed is answered as a plain problem.',
  }),
  ...decision.built('6.4', {
    'agent.route.waiting': 'A run that waits is answered 202 with `Location`.',
  }),
  ...decision.built('6.4', {
    'route.sse.progress': 'Any route that reports progress can be streamed the same way.',
    'route.sse.refusals': 'What fails before the first event is answered with its own status.',
    'route.sse.error': 'What fails after the first event ends the stream with `error`, a problem document.',
    'route.sse.slow-reader':
      'A slow reader costs a bounded amount of memory: progress gives way to newer progress, the result to nothing.',
    'route.sse.keep-alive': 'A silent stream of events gets a comment every 15 seconds.',
  }),
  ...decision.built('6.5', {
    'image.marker': '`{"$image": {media_type, data}}` is an image wherever it stands in a tool result.',
    'image.helper': '`image(bytes)` makes such a marker.',
    'image.input.inline': 'Images given to an agent are inline; a URL is 422.',
    'image.input.count': 'An agent takes up to 16 images at once.',
    'image.input.size': 'One image has up to 5 MB, all together up to 20 MB.',
    'image.input.sniffed': 'The type of an image is told from its bytes.',
    'image.max-images.default': '`max_images` is 4 by default.',
  }),
  ...decision.built('6.5', {
    'image.input.doors': 'Images can be given by POST, SSE and socket.',
  }),
  ...decision.built('6.5', {
    'image.no-base64': 'Steps, audit and logs keep sizes of images and never their base64.',
  }),
  ...decision.built('6.6', {
    'agent.nested.output': 'Inside a run its caller is given the `output` of an agent or flow.',
    'agent.nested.not-completed': 'Any status but `completed` is a tool error that names it.',
    'agent.nested.agent-reads-status': 'An agent as caller reads `{status, output}` instead.',
    'agent.nested.envelope': 'Over HTTP and MCP the whole envelope is given.',
    'agent.tool.input': 'As a tool an agent takes `input` only.',
    'agent.handoff.tool': 'A handoff is the tool `transfer_to_<agent>` with a `reason`.',
    'agent.handoff.stays': 'A handoff changes nothing of conversation, budget and limits.',
    'agent.handoff.changes': 'Prompt, tools and contexts become those of the target.',
    'agent.handoff.scopes': 'Scopes are intersected with those of the target.',
  }),
  ...decision.built('6.7', {
    'agent.compaction.trigger': 'Compaction happens when the last call measured more than `context_window`.',
    'agent.compaction.pairs': 'Compaction never parts a tool call from its result.',
    'agent.compaction.recent': 'Compaction keeps `keep_recent`.',
    'agent.compaction.backoff': 'After a failed compaction the next is tried after 2, 4, 8… steps.',
    'agent.tool-result.cut':
      'A result or error over the limit is cut between characters and says by how much.',
  }),
  ...decision.built('6.8', {
    'context.once': 'A run is given its contexts once, and those of the target when it is handed over.',
    'context.blocks': 'A context is a named, escaped block cut at `max_chars`.',
    'context.failure': 'A context that fails makes the run fail.',
  }),
  ...decision.built('6.9', {
    'session.key': 'A session belongs to one agent, one root principal and one `session_id`.',
  }),
  ...decision.built('6.9', {
    'session.capacity.default': '1000 sessions are kept by default.',
    'session.per-caller.default': '100 of them may be those of one caller by default.',
    'session.own-only':
      'A caller that has as many sessions as it may have gives up its own oldest, and nobody one of another.',
    'session.full': 'A new session that there is no room for is 429 with `Retry-After`.',
    'session.bytes':
      'A session in which as many bytes were said as one may hold takes no turn but one that begins anew: 409 `session_full`.',
    'session.ttl.default': 'A session is kept for 3600 s by default.',
    'session.options': 'How many are kept, and for how long, are options of the application.',
    'session.reset': '`reset` starts the session over.',
  }),
  ...decision.built('6.9', {
    'session.turns-queue': 'Turns of one session wait for each other.',
  }),
  ...decision.built('6.10', {
    'ledger.row': 'Each call of a model is one row, written in the transaction of its step.',
  }),
  ...decision.built('6.10', {
    'ledger.micros': 'Money is counted in whole micro-dollars.',
    'ledger.unpriced': 'A model without a price costs null, never 0.',
  }),
  ...decision.built('6.11', {
    'agent.socket.ready': 'An agent socket opens with `{type: "ready", agent}`.',
    'agent.socket.error': 'A bad turn gets `{type: "error", message}` and the socket stays open.',
    'agent.socket.one-result': 'A turn gets exactly one `result`.',
    'agent.socket.waiting': 'A turn whose run is parked gets `waiting`.',
    'agent.socket.resume': '`{run_id, last_seq}` takes up a run where the client left it.',
    'agent.socket.line': 'Turns of one socket follow each other; eight may wait, and one more is an `error`.',
    'agent.socket.either': 'A message with both `run_id` and `input` is an `error`.',
    'agent.socket.delta': 'A turn with `stream: true` is told its text as `delta`, as it is written.',
    'agent.socket.cancel': '`{type: "cancel"}` cancels the turn, whose `result` says so.',
    'agent.socket.key': 'A turn that is sent again with its `idempotency_key` runs once.',
    'agent.socket.own': 'A run of somebody else, or one that never was, is the same `error`.',
  }),
];
