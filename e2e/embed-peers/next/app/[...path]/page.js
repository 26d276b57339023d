export default async function Page({ params }) {
  return <p>a page of the application: {(await params).path.join('/')}</p>;
}
