import { clauses, type Requirement } from './clause.ts';

const row = clauses('service: Limits, ');

/** Table "Limits": twenty rows. */
export const serviceLimits: readonly Requirement[] = [
  ...row.built('request_timeout', {
    'limit.request-timeout': 'A request that works for longer than 30 s is ended.',
  }),
  ...row.built('agent_timeout', {
    'limit.agent-timeout': 'An agent, flow or behaviour that works for longer than 600 s is ended.',
  }),
  ...row.built('shutdown_timeout', {
    'limit.shutdown-timeout': 'Shutting down takes 25 s at most.',
  }),
  ...row.built('max_fps', {
    'limit.max-fps': 'A device takes 30 frames a second, and more than that and two in none.',
  }),
  ...row.built('max_frame_bytes', {
    'limit.max-frame-bytes': 'A frame of 5 MB is taken, one byte more is not.',
  }),
  ...row.built('telemetry reading size', {
    'limit.telemetry': 'A reading of 64 KB is taken, one byte more is not.',
  }),
  ...row.built('keep', {
    'limit.keep': 'After nine frames a device still holds eight.',
  }),
  ...row.built('rate_limit', {
    'limit.rate': 'A configured rate limit lets 100 requests through at once and then 50.0 per second.',
  }),
  ...row.built('max_steps', {
    'limit.max-steps.agent': 'One run of an agent has 12 steps.',
  }),
  ...row.built('max_steps', {
    'limit.max-steps.behaviour': 'One run of a behaviour has 50 steps.',
  }),
  ...row.built('max_tokens', {
    'limit.max-tokens': 'A model is asked for at most 16000 tokens in one response.',
  }),
  ...row.built('token_budget', {
    'limit.token-budget': 'A budget, where declared, is shared by a run with all it calls.',
  }),
  ...row.built('tool_result_limit', {
    'limit.tool-result': 'A model is fed at most 16384 of one tool result.',
  }),
  ...row.built('keep_recent', {
    'limit.keep-recent': 'Compaction spares the six newest messages.',
  }),
  ...row.built('context max_chars', {
    'limit.context': 'One context provider contributes 4000 characters at most.',
  }),
  ...row.built('memory max_results', {
    'limit.memory': 'A search in a memory gives ten results at most.',
  }),
  ...row.built('ask_many concurrency', {
    'limit.ask-many': 'A batch of prompts has eight under way at once.',
  }),
  ...row.built('CORS max_age', {
    'limit.cors-max-age': 'A preflight answer is good for 600 seconds.',
  }),
  ...row.built('static_files cache_secs', {
    'limit.static-cache': 'A static file is good for 3600 seconds.',
  }),
  ...row.built('upstream timeout_ms', {
    'limit.upstream': 'A proxied request is given up after 30000 ms.',
  }),
  ...row.built('watcher max_runs_per_hour', {
    'limit.watcher-runs': 'A watcher stops running its agent for the hour once its ceiling is reached.',
    'limit.watcher-spend':
      'In an hour a watcher spends at most its runs times the token budget of its agent.',
  }),
];
