// URLs are relative to this module, so the game runs wherever it lies.
const at = (path) => new URL("../" + path, import.meta.url);

function loadImage(name) {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = () => reject(new Error("there is no image " + name));
    image.src = at("img/" + name);
  });
}

export async function loadImages(names) {
  const images = await Promise.all(Object.values(names).map(loadImage));
  return Object.fromEntries(Object.keys(names).map((key, i) => [key, images[i]]));
}

async function get(path) {
  const res = await fetch(at(path));
  if (!res.ok) throw new Error(`${path}: ${res.status}`);
  return res;
}

export const loadLevel = async (name) => (await get(`levels/${name}.json`)).json();
export const loadSound = async (name) => (await get(`audio/${name}.wav`)).arrayBuffer();
