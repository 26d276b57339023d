import type { IncomingHttpHeaders } from 'node:http';
import { anthropicFormat } from './anthropic/format.ts';
import { openaiFormat } from './openai/format.ts';
import type { WireFormat } from './wire-format.ts';

const formats: readonly WireFormat[] = [openaiFormat, anthropicFormat];

/** The format whose requests go to this path. */
export function formatOf(path: string): WireFormat | undefined {
  return formats.find(({ serves }) => serves.test(path));
}

/** The format in which a caller is told that there is nothing at a path. */
export function formatOfCaller(headers: IncomingHttpHeaders): WireFormat {
  return 'anthropic-version' in headers ? anthropicFormat : openaiFormat;
}
