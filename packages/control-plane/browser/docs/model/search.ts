import type { Group, Operation } from './api.ts';

/** The operations that have all words of a search somewhere, in their groups. */
export function searchGroups(groups: readonly Group[], search: string): readonly Group[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return groups;
  return groups
    .map((group) => ({
      ...group,
      operations: group.operations.filter((one) => {
        const text = textOf(one);
        return words.every((word) => text.includes(word));
      }),
    }))
    .filter(({ operations }) => operations.length > 0);
}

function textOf(operation: Operation): string {
  const { id, method, path, tag, summary, description, parameters, access, facts } = operation;
  return [
    ...[id, method, path, tag, summary, description, facts.client ?? ''],
    ...parameters.map(({ name }) => name),
    ...access.scopes,
    ...(facts.tool ? ['tool'] : []),
    ...(facts.approval ? ['approval'] : []),
  ]
    .join('\n')
    .toLowerCase();
}
