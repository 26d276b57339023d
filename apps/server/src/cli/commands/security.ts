import { DeclarationError } from '@waymark/contract';
import { isError } from '@waymark/contract/declaring';
import { adminScope } from '@waymark/contract/principal';
import type { SecurityReport } from '@waymark/control-plane';
import { loadApplication } from '../load/load-application.ts';
import { command, fileArgument, jsonOption } from './command.ts';

/** `waymark security`: what `GET {control_prefix}/security` answers, without starting anything. */
export const security = command(
  {
    meta: {
      name: 'security',
      description:
        'Say what is public, what is gated, which limits hold, and each unsafe choice with its fix',
    },
    args: { ...fileArgument, ...jsonOption },
    async run({ args }) {
      const application = await loadApplication(args.file);
      const problems = application.check().filter(isError);
      if (problems.length > 0) throw new DeclarationError(problems);
      const report = application.security();
      console.log(args.json ? JSON.stringify(report, null, 2) : formatSecurity(report));
    },
  },
  { examples: ['security', 'security src/application.ts --json'] },
);

/** The report for a terminal; empty lists are left out. */
function formatSecurity(report: SecurityReport): string {
  const { public_surface, gated_tools, agents, behaviours, flows, memories, limits, warnings, notes } =
    report;
  const named = (row: { readonly name: string }): string => row.name;
  return [
    `authentication ${report.auth_configured ? 'is configured' : 'is not configured'}`,
    ...section(
      'reached by anybody',
      public_surface,
      ({ method, path, writes }) => `${method} ${path}${writes ? '  changes state' : ''}`,
    ),
    ...section(
      'gated tools',
      gated_tools,
      ({ name, route, approver }) => `${name}  ${route}  (approver: ${approverOf(report, approver)})`,
    ),
    ...section('agents', agents, named),
    ...section('behaviours', behaviours, named),
    ...section('flows', flows, named),
    ...section('memories', memories, named),
    ...section(
      'limits',
      limits,
      ({ name, value, unit = '', note }) =>
        `${name}  ${value} ${unit}${note === undefined ? '' : `  (${note})`}`,
    ),
    ...section('warnings', warnings, withFix),
    ...section('notes', notes, withFix),
  ].join('\n');
}

/** Who decides: without authentication it is this machine that reaches the control plane. */
function approverOf(
  { auth_configured }: SecurityReport,
  { scope, four_eyes }: SecurityReport['gated_tools'][number]['approver'],
): string {
  return [
    auth_configured === false ? 'whoever is on this machine' : adminScope,
    ...(scope === null ? [] : [scope]),
    ...(four_eyes ? ['four eyes'] : []),
  ].join(', ');
}

function section<T>(title: string, rows: readonly T[], toLine: (row: T) => string): readonly string[] {
  return rows.length === 0
    ? []
    : ['', `${title} (${rows.length})`, ...rows.map((row) => `  ${toLine(row).trimEnd()}`)];
}

function withFix({ text, fix }: { readonly text: string; readonly fix: string | null }): string {
  return fix === null ? text : `${text}\n    fix: ${fix}`;
}
