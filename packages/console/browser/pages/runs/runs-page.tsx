import type { VNode } from 'preact';
import type { PageProps } from '../../app/page-list.ts';
import { RunList } from './run-list.tsx';
import { RunView } from './run-view.tsx';

/** All runs, or one of them: `#/runs/01J…`. */
export function page({ place }: PageProps): VNode {
  const [id] = place.rest;
  return id === undefined ? (
    <RunList place={place} />
  ) : (
    <RunView key={id} id={id} step={place.query['step']} />
  );
}
