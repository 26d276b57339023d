import { anthropicFormat } from './anthropic/format.ts';
import { openaiFormat } from './openai/format.ts';
import type { ProviderKind } from './provider.ts';
import type { WireFormat } from './wire/wire-format.ts';

const formats: Readonly<Record<ProviderKind, WireFormat>> = {
  openai: openaiFormat,
  anthropic: anthropicFormat,
};

/** The format that a provider speaks. A kind that there is not is for `checkModels`, and speaks the default one until then. */
export function formatOf(kind: ProviderKind): WireFormat {
  return Object.hasOwn(formats, kind) ? formats[kind] : formats.openai;
}
