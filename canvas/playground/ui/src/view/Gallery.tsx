import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { create, openProject, remove } from "../store/projects";
import { projects, templates } from "../store/state";
import { attempt } from "../store/toasts";
import { Bring } from "./Bring";
import { Icon } from "./Icon";
import { Art } from "./Art";

const rule = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Templates by what they are for. The first ones stand under the page's title. */
const kinds = [["project", ""], ["agent", "Agents"], ["tool", "Tools"]];

export function Gallery() {
  const [name, setName] = useState("");
  const [busy, setBusy] = useState("");
  const trouble = !name ? "" : !rule.test(name) ? "Use a-z, 0-9 and - between them." : projects.value.includes(name) ? "There is a project of this name." : "";
  const make = async (template: string) => {
    if (trouble || busy) return;
    setBusy(template);
    await attempt(() => create(template, name));
    setBusy("");
  };
  return (
    <main class="gallery">
      <div class="in">
        <div class="head">
          <div>
            <h1>Start something small</h1>
            <p class="lead">A project is a handful of files with an index.html. Its page, its API and its data all run from this one process.</p>
          </div>
          <div class="naming">
            <label for="project-name">Name</label>
            <span class="field">
              <input id="project-name" value={name} placeholder="taken from the template" autocomplete="off" spellcheck={false} maxLength={63}
                aria-invalid={!!trouble} aria-describedby="name-trouble" onInput={(e) => setName(e.currentTarget.value.trim())} />
            </span>
            <small id="name-trouble" class="danger" role="status">{trouble}</small>
          </div>
        </div>
        {kinds.map(([kind, title]) => {
          const some = templates.value.filter((t) => t.kind === kind);
          return some.length > 0 && (
            <Fragment key={kind}>
              {title && <h2>{title}</h2>}
              <ul class="tpls" aria-label={title || "Templates"}>
                {some.map((t) => (
                  <li key={t.id}>
                    <button class="tpl" data-template={t.id} disabled={!!trouble} aria-busy={busy === t.id} onClick={() => void make(t.id)}>
                      <Art id={t.id} />
                      <span class="txt"><b>{t.title}</b><span>{t.about}</span></span>
                    </button>
                  </li>
                ))}
              </ul>
            </Fragment>
          );
        })}
        {projects.value.length > 0 && (
          <>
            <h2>Your projects <span>{projects.value.length}</span></h2>
            <ul class="mine" aria-label="Projects">
              {projects.value.map((id) => (
                <li key={id}>
                  <button class="go" onClick={() => void attempt(() => openProject(id))}>
                    <Icon name="folder" />
                    <span class="clip">{id}</span>
                  </button>
                  <button class="btn ghost icon" aria-label={`Delete ${id}`} title="Delete" onClick={() => void attempt(() => remove(id))}>
                    <Icon name="trash" />
                  </button>
                </li>
              ))}
            </ul>
          </>
        )}
        <Bring name={trouble ? "" : name} />
      </div>
    </main>
  );
}
