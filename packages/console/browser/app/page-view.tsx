import { Component, type ComponentChildren, type ComponentType, type VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from '../design/failure.tsx';
import { useApp } from './app-context.ts';
import { type Page, type PageProps, pages } from './page-list.ts';
import { toFragment } from './place.ts';

/** Shows the page of the current place. */
export function PageView(): VNode {
  const { router, session } = useApp();
  const place = router.place.value;
  const page = pages.find(({ path }) => path === place.page);
  if (!page) return <NoSuchPage name={place.page} />;
  if (!session.isAdmin && !page.open) return <NotAllowed title={page.title} />;
  return (
    <PageBoundary key={page.path} title={page.title}>
      <LoadedPage key={page.path} page={page} props={{ place }} />
    </PageBoundary>
  );
}

function LoadedPage({ page, props }: { readonly page: Page; readonly props: PageProps }): VNode {
  const [loaded, setLoaded] = useState<ComponentType<PageProps> | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  useEffect(() => {
    page.load().then(
      (script) => setLoaded(() => script.page),
      (reason: unknown) => setError(reason),
    );
  }, [page]);
  if (error !== undefined)
    return (
      <div class="page">
        <Failure
          title={`The page ${page.title} could not be loaded`}
          hint="Load the console again: the service may have been updated meanwhile."
          error={error}
          action={{ says: 'Load again', press: () => location.reload() }}
        />
      </div>
    );
  const Shown = loaded;
  return Shown ? <Shown {...props} /> : <div class="page" aria-busy="true" />;
}

function NoSuchPage({ name }: { readonly name: string }): VNode {
  return (
    <div class="page">
      <h1>There is no page “{name}”</h1>
      <p>
        The address may be of another release. <a href={toFragment('')}>Go to the overview</a>
      </p>
    </div>
  );
}

function NotAllowed({ title }: { readonly title: string }): VNode {
  return (
    <div class="page">
      <header>
        <h1>{title}</h1>
      </header>
      <p class="note" role="note">
        Your key does not hold the scope <code>svc:admin</code>, which everything of the control plane asks
        for. Whoever runs this service can give it to your key, or sign in with one that has it.
      </p>
    </div>
  );
}

interface BoundaryProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** What breaks in a page stays in it. */
class PageBoundary extends Component<BoundaryProps, { readonly error?: unknown }> {
  override componentDidCatch(error: unknown): void {
    this.setState({ error });
  }

  override render(
    { title, children }: BoundaryProps,
    { error }: { readonly error?: unknown },
  ): ComponentChildren {
    if (error === undefined) return children;
    return (
      <div class="page">
        <h1>{title}</h1>
        <Failure
          title="This page broke"
          hint="It is a fault of the console, not of your service. The other pages work."
          error={error}
          action={{ says: 'Show it again', press: () => this.setState({ error: undefined }) }}
        />
      </div>
    );
  }
}
