import { isObject, type JsonObject } from '../json.ts';
import type { Quirk } from '../quirks.ts';
import { refuse } from './refuse.ts';

const sampling = ['temperature', 'top_p', 'top_k'];

const known = new Set([
  ...'max_tokens messages model cache_control container diagnostics inference_geo metadata output_config service_tier speed stop_sequences stream system thinking tool_choice tools user_profile_id workspace_id context_management mcp_servers'.split(
    ' ',
  ),
  ...sampling,
]);

/** All that the servers with `refuse_unknown_fields` know. */
const commonFields = new Set(
  'max_tokens messages model stop_sequences stream system temperature tool_choice tools top_p'.split(' '),
);

/** Checks the parameters beside messages and tools. @throws {Refusal} */
export function checkParameters(body: JsonObject, quirks: ReadonlySet<Quirk>, isNew: boolean): void {
  const fields = quirks.has('refuse_unknown_fields') ? commonFields : known;
  const unknown = Object.keys(body).find((name) => !fields.has(name));
  if (unknown !== undefined) throw refuse(`${unknown}: Extra inputs are not permitted`);
  if (typeof body['model'] !== 'string' || body['model'] === '') throw refuse('model: Field required');
  const { max_tokens: maxTokens, stop_sequences: stops } = body;
  if (maxTokens === undefined) throw refuse('max_tokens: Field required');
  if (!Number.isInteger(maxTokens)) throw refuse('max_tokens: Input should be a valid integer');
  if (Number(maxTokens) < 1) throw refuse('max_tokens: Input should be greater than or equal to 1');
  if (stops !== undefined && !Array.isArray(stops))
    throw refuse('stop_sequences: Input should be a valid list');
  if (stops?.some((stop: unknown) => typeof stop !== 'string' || stop.trim() === '')) {
    throw refuse('stop_sequences: each stop sequence must contain non-whitespace');
  }
  checkSampling(body, isNew || quirks.has('refuse_temperature'));
  checkThinking(body);
  if (quirks.has('refuse_response_format') && 'output_config' in body) {
    throw refuse('output_config: Extra inputs are not permitted');
  }
}

function checkSampling(body: JsonObject, refused: boolean): void {
  const given = sampling.find((name) => body[name] !== undefined);
  if (given === undefined) return;
  if (refused) throw refuse(`${given}: Extra inputs are not permitted`);
  const { temperature } = body;
  if (temperature === undefined) return;
  if (typeof temperature !== 'number') throw refuse('temperature: Input should be a valid number');
  if (temperature < 0 || temperature > 1) throw refuse('temperature: range: 0..1');
}

function checkThinking({ thinking, max_tokens: maxTokens, temperature }: JsonObject): void {
  if (!isObject(thinking) || thinking['type'] !== 'enabled') return;
  const budget = thinking['budget_tokens'];
  if (typeof budget !== 'number') throw refuse('thinking.enabled.budget_tokens: Field required');
  if (budget < 1024) {
    throw refuse('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
  }
  if (budget >= Number(maxTokens))
    throw refuse('`max_tokens` must be greater than `thinking.budget_tokens`.');
  if (temperature !== undefined && temperature !== 1) {
    throw refuse('`temperature` may only be set to 1 when thinking is enabled.');
  }
}
