import "./details.css";

export default function Details({ moon }) {
  return (
    <section className="details">
      <h2>{moon.name}</h2>
      <p>
        A moon of {moon.planet}, {moon.radius} km in radius.
      </p>
    </section>
  );
}
