import type { PageFault } from '../page-rules.ts';

/** A broken rule of a template, and the line that breaks it. */
export interface TemplateFault extends PageFault {
  readonly line: number;
}

/** What is wrong at a node of a template. */
export function faultAt(
  { loc }: Pick<hbs.AST.Node, 'loc'>,
  code: PageFault['code'],
  rule: string,
  advice: Pick<PageFault, 'fix' | 'nearest' | 'severity'>,
): TemplateFault {
  return { code, rule, ...advice, line: loc.start.line };
}
