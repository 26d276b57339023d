import type { VNode } from 'preact';
import { useApp } from '../../app/app-context.ts';
import type { PageProps } from '../../app/page-list.ts';
import { Empty } from '../../design/empty.tsx';
import { Failure } from '../../design/failure.tsx';
import { useRoutes } from '../routes/use-routes.ts';

/** The docs page of the service, inside: `#/reference`, or at one operation: `#/reference/createTicket`. */
export function page({ place }: PageProps): VNode {
  const { service } = useApp();
  const { document, described, error } = useRoutes();
  const { docs } = document;
  const [operation] = place.rest;
  const at = operation === undefined ? '' : `#/${encodeURIComponent(operation)}`;
  const address = docs === undefined ? undefined : `${service.address.base}${docs}${at}`;
  return (
    <div class="page full" aria-busy={!described}>
      <header>
        <h1>API reference</h1>
        <div class="more">
          {address !== undefined && (
            <a class="button slight" href={address} target="_blank" rel="noreferrer">
              Open by itself
            </a>
          )}
        </div>
      </header>
      {error !== undefined && address === undefined && (
        <Failure title="The document could not be read" error={error} />
      )}
      {/* Another address is another frame: one that is told a new fragment adds to what "back" goes through. */}
      {address !== undefined && <iframe key={address} class="inside" title="API reference" src={address} />}
      {described && address === undefined && error === undefined && (
        <Empty title="This service has no docs page">
          Its OpenAPI document does not name one. Its log says why, where it could not be made.
        </Empty>
      )}
    </div>
  );
}
