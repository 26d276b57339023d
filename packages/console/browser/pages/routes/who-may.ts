import type { ControlRoutesListOutputRoutesItem as RouteRow } from '../../client/control.ts';

/** Which routes are shown. */
export const selections = ['', 'tools', 'approval', 'open', 'control'] as const;
export type Selection = (typeof selections)[number];

/** How the selections are called. */
export const selectionWords: Readonly<Record<Selection, string>> = {
  ...{ '': 'Declared', tools: 'Tools', approval: 'Need approval' },
  ...{ open: 'No scope', control: 'Control' },
};

/** Whether a selection has a route. */
export function selects(selection: Selection, { engine, tool, approval, scopes }: RouteRow): boolean {
  if (selection === 'control') return engine === 'control';
  if (engine === 'control') return false;
  if (selection === 'tools') return tool !== null;
  if (selection === 'approval') return approval === 'required';
  return selection === '' || scopes.length === 0;
}

/** Who may call a route, in a few words. */
export function toWhoMay({ scopes }: Pick<RouteRow, 'scopes'>): string {
  return scopes.length > 0 ? scopes.join(' + ') : 'no scope needed';
}
