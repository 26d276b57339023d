import { DeclarationError } from '@waymark/contract';

/** The first whose SQLite is as we need it, and that runs TypeScript as it is written. */
const oldest = [22, 18] as const;

/** Refuses a Node that is too old before anything of it is missed. @throws {DeclarationError} */
export function refuseOldNode(version: string = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return;
  throw new DeclarationError([
    {
      ...{ code: 'node-version', declaration: 'node' },
      rule: `Node ${version} is too old`,
      fix: `take Node ${oldest.join('.')} or newer`,
    },
  ]);
}
