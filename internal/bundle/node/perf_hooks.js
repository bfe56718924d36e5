module.exports = { performance }
