// Cards of what takes long.
import { jobs, type Job } from "../store/jobs";
import { Icon } from "./Icon";

export function Jobs() {
  return <>{jobs.value.map((j) => <Card key={j.title} job={j} />)}</>;
}

function Card({ job }: { job: Job }) {
  const { text, left, share } = job.step.value;
  return (
    <section class="pop progress" aria-label={job.title}>
      <div class="row">
        <b class="clip grow">{job.title}</b>
        <button class="btn ghost small" onClick={job.cancel}>Cancel</button>
      </div>
      <div class={`track${share < 0 ? " open" : ""}`} role="progressbar" aria-label={text} aria-valuenow={share < 0 ? undefined : Math.round(share * 100)} aria-valuemin={0} aria-valuemax={100}>
        <i style={share < 0 ? undefined : { width: share * 100 + "%" }} />
      </div>
      <p class="row num"><span class="grow">{text}</span><span class="muted">{left}</span></p>
      {job.past.value.length > 0 && (
        <ul>{job.past.value.map((p) => <li key={p} class="row"><Icon name="check" small class="ok" />{p}</li>)}</ul>
      )}
    </section>
  );
}
