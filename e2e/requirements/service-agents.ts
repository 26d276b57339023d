import { clauses, type Requirement } from './clause.ts';

const option = clauses('service: Agent options, ');

/** Table "Agent options": 21 options with their defaults. */
export const serviceAgents: readonly Requirement[] = [
  ...option.built('model', {
    'agent.option.model': 'An agent thinks with the model behind the alias it names.',
    'agent.option.model.default': 'An agent uses the alias `default` by default.',
  }),
  ...option.built('system', {
    'agent.option.system': 'The system prompt of an agent precedes the conversation.',
    'agent.option.system.default': 'An agent has an empty system prompt by default.',
  }),
  ...option.built('description', {
    'agent.option.description': 'The description of an agent describes it as a tool and in listings.',
    'agent.option.description.default': 'The description of an agent is empty by default.',
  }),
  ...option.built('tools', {
    'agent.option.tools': 'An agent may use the tools it names and no others.',
    'agent.option.tools.default': 'An agent has no tools by default.',
  }),
  ...option.built('handoffs', {
    'agent.option.handoffs': 'An agent may hand its run over to the agents it names.',
    'agent.option.handoffs.default': 'An agent hands over to nobody by default.',
  }),
  ...option.built('context', {
    'agent.option.context': 'An agent is told what the context providers it names have to say.',
    'agent.option.context.default': 'An agent is given no context by default.',
  }),
  ...option.built('memory', {
    'agent.option.memory': 'An agent that names a memory can use it.',
    'agent.option.memory.default': 'An agent has no memory by default.',
  }),
  ...option.built('scopes', {
    'agent.option.scopes': 'A run may do what both the agent and its caller may do.',
    'agent.option.scopes.default': 'An agent has no scopes by default.',
  }),
  ...option.built('expose_scopes', {
    'agent.option.expose-scopes': 'Starting an agent takes the scopes listed in `expose_scopes`.',
    'agent.option.expose-scopes.default': 'Without `expose_scopes` starting an agent takes its `scopes`.',
  }),
  ...option.built('max_steps', {
    'agent.option.max-steps': 'A run of an agent ends when it has used up its steps.',
    'agent.option.max-steps.default': 'An agent has 12 steps by default.',
  }),
  ...option.built('token_budget', {
    'agent.option.token-budget': 'The budget of a run also pays for everything the run calls.',
    'agent.option.token-budget.default': 'A run has no token budget by default.',
  }),
  ...option.built('cache', {
    'agent.option.cache':
      'With `cache` the stable part of the prompt is marked for the cache of the provider.',
    'agent.option.cache.default': 'An agent caches its prompt by default.',
  }),
  ...option.built('tool_result_limit', {
    'agent.option.tool-result-limit': 'A tool result longer than the limit reaches the model shortened.',
    'agent.option.tool-result-limit.default': 'The limit on one tool result is 16384 by default.',
  }),
  ...option.built('context_window', {
    'agent.option.context-window': 'A conversation over `context_window` tokens is compacted.',
    'agent.option.context-window.default': 'An agent declares no context window by default.',
  }),
  ...option.built('compact_with', {
    'agent.option.compact-with': 'Compaction is written by the model behind `compact_with`.',
    'agent.option.compact-with.default': 'Without `compact_with` the alias `fast` compacts.',
  }),
  ...option.built('keep_recent', {
    'agent.option.keep-recent': 'Compaction leaves the `keep_recent` newest messages as they are.',
    'agent.option.keep-recent.default': 'Six messages are kept by default.',
  }),
  ...option.built('temperature', {
    'agent.option.temperature': 'A temperature that was set is sent to the provider.',
    'agent.option.temperature.default': 'No temperature is set by default, and then none is sent.',
  }),
  ...option.built('max_tokens', {
    'agent.option.max-tokens': 'One answer of the model has at most `max_tokens` tokens.',
    'agent.option.max-tokens.default': 'One answer may have 16000 tokens by default.',
  }),
  ...option.built('expose_at', {
    'agent.option.expose-at': 'An agent answers at the path given as `expose_at`.',
    'agent.option.expose-at.default': 'Without it an agent answers at `/agents/` plus its name with hyphens.',
  }),
  ...option.built('tool', {
    'agent.option.tool': 'With `tool: false` an agent is not offered as a tool.',
    'agent.option.tool.default': 'An agent is a tool by default.',
  }),
  ...option.built('max_input_bytes', {
    'agent.input.size':
      'The `input` of an agent has up to 1 MiB, or what the agent says; more is 422 and kept nowhere.',
  }),
  ...option.built('images', {
    'agent.option.images': 'With `images: false` an agent takes no images.',
  }),
  ...option.built('max_images', {
    'agent.option.max-images': 'Only the `max_images` newest images stay in the context of an agent.',
  }),
];
