export default function Page() {
  return <p>a page of the application</p>;
}
