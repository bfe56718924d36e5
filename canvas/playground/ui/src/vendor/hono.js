// What projects of the template Hono import.
export { Hono } from "hono";
export { HTTPException } from "hono/http-exception";
export { validator } from "hono/validator";
export { cors } from "hono/cors";
export { deleteCookie, getCookie, setCookie } from "hono/cookie";
