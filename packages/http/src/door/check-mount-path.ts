import type { Problem } from '@waymark/contract';
import { isMountPath } from './request-target.ts';

/** Lists what is wrong with a `mountPath`; `createDoor` throws the same. */
export function checkMountPath(mountPath: string): readonly Problem[] {
  if (isMountPath(mountPath)) return [];
  return [
    {
      declaration: 'mountPath',
      rule: `${JSON.stringify(mountPath)} is not a path of plain segments`,
      fix: 'write it like "/api", without a slash at the end',
    },
  ];
}
