import type { LimitInForce } from '@waymark/contract/declaring';
import { maxPatternLength } from '@waymark/contract/schema';
import { longestNumber } from '@waymark/contract/text';
import { maxJsonLevels, maxToolBytes } from '@waymark/contract/tools';
import { maxJsonDepth } from './input/parse-json.ts';

/** Limits of what a dispatcher takes and gives that no option sets, for the security report. */
export const dispatcherLimits: readonly LimitInForce[] = [
  { name: 'body_depth', value: maxJsonDepth, unit: 'levels', note: 'of JSON' },
  { name: 'body_number', value: longestNumber, unit: 'characters', note: 'of JSON' },
  {
    name: 'pattern_length',
    value: maxPatternLength,
    unit: 'characters',
    note: 'a text with a pattern and no maxLength',
  },
  { name: 'tool_result', value: maxToolBytes, unit: 'bytes', note: 'for callers by name: tools, runs' },
  {
    name: 'tool_result_depth',
    value: maxJsonLevels,
    unit: 'levels',
    note: 'for callers by name: tools, runs',
  },
];
