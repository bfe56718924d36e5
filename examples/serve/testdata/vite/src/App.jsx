import { lazy, Suspense, useEffect, useState } from "react";
import badge from "./badge.svg";

const Details = lazy(() => import("./Details.jsx"));

export default function App() {
  const [moons, setMoons] = useState([]);
  const [chosen, choose] = useState(null);

  useEffect(() => {
    fetch("/moons.json").then((res) => res.json()).then(setMoons);
  }, []);

  return (
    <main>
      <h1>
        <img src={badge} alt="" width="32" /> Moons
      </h1>
      <ul>
        {moons.map((moon) => (
          <li key={moon.name}>
            <button onClick={() => choose(moon)}>{moon.name}</button>
          </li>
        ))}
      </ul>
      {chosen && (
        <Suspense fallback={<p>Loading…</p>}>
          <Details moon={chosen} />
        </Suspense>
      )}
    </main>
  );
}
